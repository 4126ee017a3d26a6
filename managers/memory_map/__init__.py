"""The map of memory and the network of entities: where memories lie when one looks instead of reading.

Both are derived from the search index (its vectors, its words) and kept in `rag_index/memory_map.sqlite`.
"""

"""The map of memory and the network of entities: where memories lie when one looks instead of reading.

Both are derived from the search index (its vectors, its words) and kept in `rag_index/`,
each in a file of its own (`memory_map.sqlite`, `entity_network.sqlite`).
"""

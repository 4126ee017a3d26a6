"""Finding memories: chunking, embedders, indexes, fusion."""

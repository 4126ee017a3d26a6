"""One turn of a conversation: the LangGraph graph, its nodes, the minds, the prompts, the tools."""

"""The wiring of one turn. What each node does is in `agent.nodes`; `agent.prompt_building` makes the prompt."""

from functools import cache

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from agent.forget_node import forget
from agent.nodes import after_reply, perceive, receive, remember, reply, retrieval_node, use_tools
from agent.prompt_building import compose
from agent.state import Surroundings, TurnState

TurnGraph = CompiledStateGraph[TurnState, Surroundings, TurnState, TurnState]


def build_graph() -> StateGraph[TurnState, Surroundings, TurnState, TurnState]:
    """Return the turn: receive → perceive → forget → retrieval_node → compose ⇄ reply ⇄ use_tools → remember."""
    graph = StateGraph(TurnState, Surroundings)
    graph.add_sequence([receive, perceive, forget, retrieval_node, compose, reply])
    graph.add_node(use_tools)
    graph.add_node(remember)
    graph.add_edge(START, "receive")
    graph.add_conditional_edges("reply", after_reply, {one: one for one in ("use_tools", "compose", "remember")})
    graph.add_edge("use_tools", "reply")
    graph.add_edge("remember", END)
    return graph


@cache
def compiled_graph() -> TurnGraph:
    """Return the compiled graph, made once a process."""
    return build_graph().compile()

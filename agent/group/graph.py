"""The wiring of a round. What each node does is in `agent.group.nodes`; who speaks is decided in `who_speaks`."""

from functools import cache

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from agent.group.nodes import Round, RoundSurroundings, address, after_choice, choose_speaker, hear, settle, speak

RoundGraph = CompiledStateGraph[Round, RoundSurroundings, Round, Round]


def build_round() -> StateGraph[Round, RoundSurroundings, Round, Round]:
    """Return the round: hear → address → choose_speaker ⇄ speak → settle."""
    graph = StateGraph(Round, RoundSurroundings)
    for node in (hear, address, choose_speaker, speak, settle):
        graph.add_node(node)
    graph.add_edge(START, "hear")
    graph.add_edge("hear", "address")
    graph.add_edge("address", "choose_speaker")
    graph.add_conditional_edges("choose_speaker", after_choice, {"speak": "speak", "settle": "settle"})
    graph.add_edge("speak", "choose_speaker")
    graph.add_edge("settle", END)
    return graph


@cache
def compiled_round() -> RoundGraph:
    """Return the compiled graph, made once a process."""
    return build_round().compile()

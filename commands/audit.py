"""`audit`: what left this computer and to whom, and what was exported, erased, taken back or written by tools."""

import typer

from commands.language import page_texts
from commands.shared import HomeOption, JsonOption, PersonaArgument, services_at, tell, warn_of
from commands.terminal import write_line
from managers.domains import PREFIX

commands = typer.Typer()


@commands.command()
def audit(persona: PersonaArgument, home: HomeOption = None, as_json: JsonOption = False) -> None:
    """List what left this computer and to whom, newest first; say where the record was changed by hand (exit status 1).

    Of a domain, named as kb:movie, which servers were asked for it.
    """
    from agent.as_json import event_of_audit
    from managers.domains.domain_store import domain_of
    from managers.storage.audit import events, flawed_notice, flaws
    from ui.rooms.memories.audit_shelf import details, happened

    with services_at(home) as services:
        is_domain = persona.startswith(PREFIX)
        paths = (
            domain_of(services.home, services.clock, persona).paths
            if is_domain
            else services.personas.get(persona).paths
        )
        t, count = page_texts(), 0
        for event in events(paths):
            count += 1
            told = f"{event.time:%Y-%m-%d %H:%M}  {happened(event, t)}  {details(event, t)}"
            tell(event_of_audit(event), told.rstrip(), as_json=as_json)
        if not count and not as_json:
            write_line(t("audit.empty"))
        if found := flaws(paths):
            warn_of([flawed_notice(found)])
            raise typer.Exit(1)

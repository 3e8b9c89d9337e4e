"""Made-up explanations of two stages and three terms."""

from bench.harness import explanation

TERMS = ("compute", "l1_loads", "memory_loads")


def made_up(stages, algorithm="0123", differences=(), inlined=(), trace="", hidden=None):
    """stages: name -> milliseconds of each term after the overlap. hidden: name -> milliseconds of each that
    the overlap takes. The plugin's JSON, parsed."""
    rows = []
    for name, milliseconds in stages.items():
        exposed = dict(zip(TERMS, (ms / 1e3 for ms in milliseconds)))
        taken = (hidden or {}).get(name, (0, 0, 0))
        corrected = {term: exposed[term] + ms / 1e3 for term, ms in zip(TERMS, taken)}
        rows.append(
            {"name": name, "seconds": sum(exposed.values()), "terms": exposed, "corrected": corrected}
        )
    return {
        "cryolite_explanation": explanation.FORMAT, "algorithm": algorithm, "trace": trace,
        "seconds": sum(row["seconds"] for row in rows), "stages": rows, "inlined": list(inlined),
        "differences": list(differences), "machine": "here", "machine_source": "a test",
    }  # fmt: skip


def read_made_up(*arguments, **named):
    return explanation.read(made_up(*arguments, **named))

#!/usr/bin/env python3
"""Lists the public API of the library, and compares it with the reviewed list.

public-symbols.py GRAPHS FILE [--update]
  GRAPHS    a folder with the compiler's symbol graphs of the modules
  FILE      the list: one declaration per line, sorted
  --update  write the list

A change to the list is a change to the API: it is reviewed, and noted in CHANGELOG.md.
"""
import difflib
import json
import pathlib
import sys


def declarations(graphs):
    """The lines: module, the path of the symbol in it, and its declaration."""
    lines = set()
    files = [json.loads(path.read_text()) for path in pathlib.Path(graphs).glob("*.symbols.json")]
    modules = {graph["module"]["name"] for graph in files}
    for graph in files:
        module = graph["module"]["name"]
        # A module's graph also contains the symbols that it re-exports.
        others = tuple(f"s:{len(name)}{name}" for name in modules - {module})
        for symbol in graph["symbols"]:
            # Members inherited from another module's protocols are not part of this API.
            precise = symbol["identifier"]["precise"]
            if "::SYNTHESIZED::" in precise or precise.startswith(others):
                continue
            if symbol["accessLevel"] not in ("public", "open"):
                continue
            text = "".join(part["spelling"] for part in symbol["declarationFragments"])
            lines.add(f"{module}  {'.'.join(symbol['pathComponents'])}  {' '.join(text.split())}")
    return sorted(lines)


def main():
    arguments = [word for word in sys.argv[1:] if word != "--update"]
    if len(arguments) != 2:
        sys.exit(__doc__.strip())
    graphs, file = arguments
    found = declarations(graphs)
    if not found:
        sys.exit(f"public-symbols: {graphs} has no symbol graphs")
    listed = pathlib.Path(file)
    if "--update" in sys.argv:
        listed.write_text("\n".join(found) + "\n")
        return
    expected = listed.read_text().splitlines() if listed.exists() else []
    if expected == found:
        print(f"public-symbols: {len(found)} declarations, as in {file}")
        return
    sys.stdout.writelines(
        line + "\n" for line in difflib.unified_diff(expected, found, file, "the build", "", "", 0))
    sys.exit("public-symbols: the public API has changed; review it, then run 'make api'")


main()

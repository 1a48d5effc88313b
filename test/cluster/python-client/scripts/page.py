"""Runs the Python blocks of a page in order, as cells of a notebook; a text block after one is what it prints."""
import contextlib
import io
import json
import linecache
import re
import sys

with open(sys.argv[1], encoding='utf-8') as page:
    text = page.read()
scope = {'__name__': '__main__', 'In': []}
found = []
for number, (cell, shown) in enumerate(re.findall(r'^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?', text, flags=re.M | re.S)):
    name = f'<cell {number}>'
    linecache.cache[name] = (len(cell), None, cell.splitlines(keepends=True), name)
    scope['In'].append(cell)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(cell, name, 'exec'), scope)
    found.append([said.getvalue(), shown])
print(json.dumps(found))

"""Runs the samples of README.md and of the guide: documents.py URL. The key is in KEY, as in the samples."""

import os
import re
import sys

here = os.path.dirname(os.path.abspath(__file__))
ran = 0
for name in ("../README.md", "../../../docs/guides/en/python-client.md"):
    with open(os.path.join(here, name), encoding="utf-8") as f:
        samples = re.findall(r"^```python.*?\n(.*?)^```$", f.read(), re.M | re.S)
    names: "dict[str, object]" = {}  # later samples use what earlier ones have made
    for sample in samples:
        exec(compile(sample.replace("https://catalogue.example", sys.argv[1]).replace("{{base}}", sys.argv[1]), name, "exec"), names)
        ran += 1
if ran != 14:
    sys.exit(f"{ran} samples were found")

"""Names of columns and states that are hard to write, quote, show or read back."""

from __future__ import annotations

SCRIPT = "</script><script>alert(1)</script>"

QUOTED = {
    "apostrophe": "it's",
    "quotation marks": 'say "x"',
    "both quotes": "'\"",
    "three quotes": "'''\"\"\"",
    "curly quotes": "“x” ‘y’",
    "backticks": "a`b``c",
    "backslash at the end": "a\\b\\",
    "escaped quote": '\\"',
    "escape sequence": "\\n",
}
MARKUP = {
    "tag": "<img src=x onerror=alert(1)>",
    "script": SCRIPT,
    "entity": "&#60;&amp;lt;",
    "end of CDATA": "]]>",
    "end of a comment": "--> <!--",
    "Markdown": "**b** _i_ [x](javascript:alert(1))",
    "heading": "# 1",
    "LaTeX": "\\input{/etc/passwd}",
    "formula": "$x$ and $y$",
    "LaTeX characters": "100% & a_b^c~{#1}",
}
TEMPLATES = {
    "JavaScript template": "${alert(1)}",
    "Jinja template": "{{7*7}}",
    "printf": "%s %(x)s %d",
    "plotly template": "%{y}%{x:.2f}",
    "cell magic": "%%bash",
    "shell": "!ls; $(ls)",
}
CODE = {
    "prototype": "__proto__",
    "constructor": "constructor",
    "property": "toString",
    "Python": "'); import os; ('",
    "BIF": "a|b:c;d,(e)[f]{g}",
    "comment in BIF": "a // b /* c */",
}
FORMULAS = {"equals": "=1+1", "plus": "+1", "minus": "-1", "at": "@SUM(1)", "tab and equals": "\t=1+1"}
BLANKS = {
    "nothing": "",
    "blank": " ",
    "blanks around": "  a  ",
    "tab": "a\tb",
    "line break": "a\nb",
    "line separators": "a\u2028b\u2029c\x85d",
    "no-break space": "\u00a0",
    "zero width": "\u200b",
}
SCRIPTS = {
    "right to left": "שלום",
    "override": "\u202eabc\u202c",
    "emoji": "👩\u200d👩\u200d👧",
    "combining": "e\u0301\u0300\u0302" * 5,
    "astral": "𝔘",
    "long": "x" * 5_000,
}
CONTROLS = {
    "zero": "a\x00b",
    "escape": "\x1b[31m",
    "form feed": "a\x0bb\x0cc",
    "no character": "a\ufffeb",
    "carriage return": "a\rb",
    "lines of Windows": "a\r\nb",
}
"""XML has no way to write the first four of these, and makes line breaks of the last two."""

TEXT = {**QUOTED, **MARKUP, **TEMPLATES, **CODE, **FORMULAS, **BLANKS, **SCRIPTS}
NAMES = {**TEXT, **CONTROLS}
STUDIED = [name for name in NAMES.values() if "\0" not in name]
"""Those of the columns of a study, which is written as text."""

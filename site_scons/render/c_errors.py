"""gm_errors.h and gm_errors.c: the error enum and its texts."""

from .spec import load

TEXTS = """\
#include "gradmote.h"

const char *gm_error_text(int error)
{{
    switch (error) {{
    case GM_OK: return "success";
    case GM_AGAIN: return "instructions remain; call gm_run() again";
{texts}
    default: return "unknown error code";
    }}
}}

const char *gm_error_hint(int error)
{{
    switch (error) {{
{hints}
    default: return "";
    }}
}}
"""


def render() -> dict[str, str]:
    errors = load("errors")["error"]
    enum = "\n".join(f"    GM_ERR_{e['name']} = {e['code']}, /* {e['text']} */" for e in errors)
    header = f"#ifndef GM_ERRORS_H\n#define GM_ERRORS_H\n\nenum gm_error {{\n    GM_OK = 0,\n{enum}\n}};\n\n#endif\n"
    texts = "\n".join(f'    case GM_ERR_{e["name"]}: return "{e["text"]}";' for e in errors)
    hints = "\n".join(f'    case GM_ERR_{e["name"]}: return "{e["hint"]}";' for e in errors)
    return {"gm_errors.h": header, "gm_errors.c": TEXTS.format(texts=texts, hints=hints)}

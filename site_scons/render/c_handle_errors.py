"""gm_handle_errors.h and .c: the codes of bindings/shared, and the names and texts of all codes."""

from .spec import load

SOURCE = """\
#include "../gm_handle.h"

const char *gm_handle_error_name(int code)
{{
    switch (code) {{
    case GM_OK: return "GM_OK";
{names}
    default: return "UNKNOWN";
    }}
}}

const char *gm_handle_error_text(int code)
{{
    switch (code) {{
{texts}
    default: return gm_error_text(code);
    }}
}}

const char *gm_handle_error_hint(int code)
{{
    switch (code) {{
{hints}
    default: return gm_error_hint(code);
    }}
}}
"""


def render() -> dict[str, str]:
    """Return the text of each file."""
    own = load("handle_errors")["error"]
    enum = "\n".join(f"    GM_ERR_{e['name']} = {e['code']}, /* {e['text']} */" for e in own)
    guard = "GM_HANDLE_ERRORS_H"
    header = f"#ifndef {guard}\n#define {guard}\n\nenum gm_handle_error {{\n{enum}\n}};\n\n#endif\n"
    every = [*load("errors")["error"], *own]
    names = "\n".join(f'    case GM_ERR_{e["name"]}: return "GM_ERR_{e["name"]}";' for e in every)
    texts = "\n".join(f'    case GM_ERR_{e["name"]}: return "{e["text"]}";' for e in own)
    hints = "\n".join(f'    case GM_ERR_{e["name"]}: return "{e["hint"]}";' for e in own)
    source = SOURCE.format(names=names, texts=texts, hints=hints)
    return {"gm_handle_errors.h": header, "gm_handle_errors.c": source}

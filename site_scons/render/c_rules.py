"""gm_rules.h: the optimizer kinds, and which moments each needs."""

from .spec import load


def render() -> dict[str, str]:
    rules = sorted(load("optimizers")["optimizer"], key=lambda o: o["kind"])
    assert [r["kind"] for r in rules] == list(range(len(rules)))
    lines = ["#ifndef GM_RULES_H", "#define GM_RULES_H", "", "#include <stdint.h>", '#include "gm_config.h"', ""]
    lines += ["enum gm_rule_kind {"]
    lines += [f"    GM_RULE_{r['name'].upper()} = {r['kind']}, /* {r['meaning']} */" for r in rules]
    lines += [f"    GM_RULE_COUNT = {len(rules)}", "};", ""]
    for r in rules:
        fields = " ".join(f"float {n};" for n in r["hyper"])
        lines += [f"typedef struct gm_rule_{r['name']} {{ uint32_t kind; {fields} }} gm_rule_{r['name']};"]
    lines += [""]
    for r in rules:
        macro = f"GM_WITH_{r['name'].upper()}"
        lines += [f"#ifndef {macro}", f"#define {macro} (!GM_ONLY_SELECTED)", "#endif"]
    lines += ["", "/* Moment tensors that a rule needs, and whether it reads bias corrections. */"]
    slots = ", ".join(str(r["slots"]) for r in rules)
    aux = ", ".join(str(int(r["aux"])) for r in rules)
    lines += [f"#define GM_RULE_SLOTS {{ {slots} }}", f"#define GM_RULE_AUX {{ {aux} }}"]
    lines += ["", "#endif", ""]
    return {"gm_rules.h": "\n".join(lines)}

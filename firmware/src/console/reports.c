#include "console/reports.h"

#include <string.h>

#include "application.h"
#include "board.h"
#include "console/text.h"
#include "device/identity.h"
#include "device/memory.h"
#include "storage/signature.h"
#include "storage/slots.h"
#include "training/samples.h"

#define VALUES_SHOWN 16u

void report_error(int error)
{
    text_put(console_error_text(error));
    text_put(" (");
    text_i32(error);
    text_put(")");
    if (*console_error_hint(error)) {
        text_put(" - ");
        text_put(console_error_hint(error));
    }
    text_line("");
}

static void pad(const char *text, uint32_t width)
{
    text_put(text);
    for (uint32_t i = (uint32_t)strlen(text); i < width; ++i) {
        text_put(" ");
    }
}

void report_help(void)
{
    for (uint32_t i = 0; i < CONSOLE_COMMAND_COUNT; ++i) {
        pad(console_commands[i].name, 7);
        pad(console_commands[i].arguments, 15);
        text_line(console_commands[i].help);
    }
    for (uint32_t i = 0; i < the_application.command_count; ++i) {
        pad(the_application.commands[i].name, 15);
        text_line(the_application.commands[i].help);
    }
}

static void number(const char *label, uint32_t value, const char *unit)
{
    pad(label, 16);
    text_u32(value);
    text_line(unit);
}

static void programs(const model *m)
{
    static const char *const names[GM_PROGRAM_COUNT] = {"infer", "eval", "train", "optimizer", "step"};
    pad("programs", 15);
    for (uint32_t program = 0; program < GM_PROGRAM_COUNT; ++program) {
        if (model_has(m, program)) {
            text_put(" ");
            text_put(names[program]);
        }
    }
    text_line("");
}

static void store(const device *d)
{
    gm_store_info info;
    if (teach_view(&d->model, &info) != 0) {
        return;
    }
    pad("store", 16);
    text_u32(info.kept);
    text_put(" of ");
    text_u32(info.capacity);
    text_line(" samples");
    pad("idle training", 16);
    text_line(d->teach.idle ? "on" : "off");
}

static void counters(const gm_control *control)
{
    number("train steps", control->train_steps, "");
    number("updates", control->optimizer_steps, "");
    number("skipped steps", control->skipped_steps, "");
    pad("learning rate", 16);
    text_f32(control->learning_rate);
    text_line("");
}

static void firmware(void)
{
    pad("firmware", 16);
    text_u32(GM_VERSION_MAJOR);
    text_put(".");
    text_u32(GM_VERSION_MINOR);
    text_put(".");
    text_u32(GM_VERSION_PATCH);
    text_put(" on ");
    text_put(IDENTITY_NAME);
    text_line(GM_FUSED ? ", fused" : ", strict");
}

static void demanded_key(void)
{
    const uint8_t *id = signature_key_id();
    if (id == NULL) {
        return;
    }
    pad("signed by key", 16);
    for (uint32_t i = 0; i < SIGNATURE_KEY_ID_SIZE; i += 4) {
        text_hex((uint32_t)id[i] << 24 | (uint32_t)id[i + 1] << 16 | (uint32_t)id[i + 2] << 8 | id[i + 3]);
    }
    text_line("");
}

void report_info(const device *d)
{
    firmware();
    demanded_key();
    if (d->model.status) {
        report_error(d->model.status);
        return;
    }
    number("image", model_image_size(&d->model), " bytes");
    if (d->model.session.header->image_version != 0) {
        number("version", d->model.session.header->image_version, " of the image");
    }
    programs(&d->model);
    number("batch", d->model.needs.batch, " samples");
    number("parameters", d->model.needs.parameters_size, " bytes");
    counters(gm_control_view(&d->model.session));
    store(d);
    number("checkpoint", model_kept_size(&d->model), " bytes in flash");
    pad("save every", 16);
    report_save_every(d);
}

void report_mem(const device *d)
{
    number("ram", memory_ram_size(), " bytes");
    number("  static", memory_static_size(), "");
    number("  stack", memory_stack_size(), "");
    number("    used", memory_stack_used(), " at most");
    number("  arena", memory_arena_size(), "");
    number("    model", d->model.needs.arena_size, "");
    number("code", memory_code_size(), " bytes of flash");
    number("image", model_image_size(&d->model), " bytes of flash");
}

static void put_value(const gm_view *view, uint32_t i)
{
    uint32_t size = samples_element_size(view->dtype);
    const uint8_t *at = (const uint8_t *)view->data + size * i;
    float real;
    int32_t integer = 0;
    memcpy(&integer, at, size);
    memcpy(&real, &integer, sizeof real);
    text_put(" ");
    switch (view->dtype) {
    case GM_DTYPE_F32: text_f32(real); break;
    case GM_DTYPE_I8: text_i32((int8_t)integer); break;
    case GM_DTYPE_I16: text_i32((int16_t)integer); break;
    default: text_i32(integer); break;
    }
}

void report_save_every(const device *d)
{
    uint32_t every = autosave_every(&d->model), count = slots_count(&d->model.session);
    if (every == 0) {
        text_line("off");
        return;
    }
    text_u32(every);
    text_put(" updates, in ");
    text_u32(count);
    text_line(" slots of flash in turn");
}

void report_autosave(const device *d, int result)
{
    if (result < 0) {
        text_put("save every: ");
        report_error(result);
    } else if (result == AUTOSAVE_KEPT && d->requester == REQUESTER_PERSON) {
        text_put("saved, update ");
        text_u32(gm_control_view(&d->model.session)->optimizer_steps);
        text_line("");
    }
}

/* Prints the class that the model predicts for the first sample, its score and its name, if the
 * model has a score for each class. */
static void first_class(const gm_session *session)
{
    uint32_t label;
    float score;
    if (gm_classify(session, 0, &label, &score) == 0) {
        text_put("class ");
        text_u32(label);
        text_put(" ");
        text_f32(score);
        const char *name = gm_class_name(session, label);
        text_put(name != NULL ? " " : "");
        text_line(name != NULL ? name : "");
    }
}

void report_outputs(const device *d)
{
    gm_view view;
    for (uint32_t i = 0; !gm_tensor_view(&d->model.session, GM_PROGRAM_INFER, GM_ROLE_OUTPUT, i, &view); ++i) {
        uint32_t count = view.size / samples_element_size(view.dtype);
        text_put(view.name != NULL ? view.name : "output");
        for (uint32_t j = 0; j < count && j < VALUES_SHOWN; ++j) {
            put_value(&view, j);
        }
        text_line(count > VALUES_SHOWN ? " ..." : "");
    }
    first_class(&d->model.session);
}

static void class_title(uint32_t label)
{
    text_put("class ");
    text_u32(label);
    text_put(label < 10 ? "   " : "  ");
}

void report_class(uint32_t label, const gm_store_class *own)
{
    class_title(label);
    text_u32(own->kept);
    text_put(" kept of ");
    text_u32(own->seen);
    text_line(" learned");
}

void report_score(const teach *t)
{
    if (t->kept == 0) {
        return;
    }
    class_title(t->label);
    text_u32(t->right);
    text_put(" of ");
    text_u32(t->kept);
    text_line(" right");
}

void report_total(uint32_t kept, uint32_t right)
{
    text_put("in all    ");
    text_u32((uint32_t)(((uint64_t)right * 200 + kept) / (2 * (uint64_t)kept)));
    text_line(" %");
}

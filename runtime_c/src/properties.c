/*
 * Properties: named numbers of the application. The state holds a fixed number of them.
 */
#include <string.h>

#include "image.h"
#include "program.h"

typedef struct property_key {
    char bytes[20];
} property_key;

/* Makes a zero-padded key from `text`. Returns GM_ERR_INVALID_ARGUMENT unless the text has 1 to 19
 * bytes. */
static int make_key(const char *text, property_key *key)
{
    size_t length = 0;
    memset(key, 0, sizeof *key);
    if (text == NULL) {
        return GM_ERR_INVALID_ARGUMENT;
    }
    while (text[length] != '\0') {
        if (length == sizeof key->bytes - 1) {
            return GM_ERR_INVALID_ARGUMENT;
        }
        key->bytes[length] = text[length];
        ++length;
    }
    return length == 0 ? GM_ERR_INVALID_ARGUMENT : GM_OK;
}

static gm_property *property_records(const gm_session *session)
{
    return (gm_property *)(void *)(session->arena + session->header->properties_offset);
}

/* Returns the property with this key, or NULL. */
static gm_property *find_key(const gm_session *session, const property_key *key)
{
    gm_property *property = property_records(session);
    for (uint32_t i = 0; i < session->header->properties_count; ++i) {
        if (property[i].type != GM_PROPERTY_TYPE_EMPTY && memcmp(property[i].key, key, sizeof *key) == 0) {
            return &property[i];
        }
    }
    return NULL;
}

/* Returns a free record, or NULL. */
static gm_property *find_empty(const gm_session *session)
{
    gm_property *property = property_records(session);
    for (uint32_t i = 0; i < session->header->properties_count; ++i) {
        if (property[i].type == GM_PROPERTY_TYPE_EMPTY) {
            return &property[i];
        }
    }
    return NULL;
}

static int set_property(gm_session *session, const char *text, uint32_t type, const void *value)
{
    property_key key;
    int status = gm_idle(session);
    if (status == GM_OK) {
        status = make_key(text, &key);
    }
    if (status != GM_OK) {
        return status;
    }
    gm_property *property = find_key(session, &key);
    if (property == NULL) {
        property = find_empty(session);
    }
    if (property == NULL) {
        return GM_ERR_FULL;
    }
    memcpy(property->key, &key, sizeof key);
    property->type = type;
    memcpy(&property->value, value, sizeof property->value);
    return GM_OK;
}

int gm_property_set_i32(gm_session *session, const char *key, int32_t value)
{
    return set_property(session, key, GM_PROPERTY_TYPE_I32, &value);
}

int gm_property_set_f32(gm_session *session, const char *key, float value)
{
    return set_property(session, key, GM_PROPERTY_TYPE_F32, &value);
}

int gm_property_get(const gm_session *session, const char *key, gm_property *out)
{
    property_key padded;
    if (session == NULL || session->header == NULL || out == NULL || make_key(key, &padded) != GM_OK) {
        return GM_ERR_INVALID_ARGUMENT;
    }
    const gm_property *property = find_key(session, &padded);
    if (property == NULL) {
        return GM_ERR_NOT_FOUND;
    }
    *out = *property;
    return GM_OK;
}

int gm_property_at(const gm_session *session, uint32_t index, gm_property *out)
{
    if (session == NULL || session->header == NULL || out == NULL) {
        return GM_ERR_INVALID_ARGUMENT;
    }
    const gm_property *property = property_records(session);
    for (uint32_t i = 0; i < session->header->properties_count; ++i) {
        if (property[i].type != GM_PROPERTY_TYPE_EMPTY && index-- == 0) {
            *out = property[i];
            return GM_OK;
        }
    }
    return GM_ERR_NOT_FOUND;
}

int gm_property_remove(gm_session *session, const char *key)
{
    property_key padded;
    int status = gm_idle(session);
    if (status == GM_OK) {
        status = make_key(key, &padded);
    }
    if (status != GM_OK) {
        return status;
    }
    gm_property *property = find_key(session, &padded);
    if (property == NULL) {
        return GM_ERR_NOT_FOUND;
    }
    memset(property, 0, sizeof *property);
    return GM_OK;
}

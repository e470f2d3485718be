/*
 * The native methods of gradmote.Session. Each calls one function in the table of a profile's library,
 * and throws GradmoteException if it returns an error. Arrays may be null or of any length: this file
 * or the library checks them.
 */
#include <jni.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gm_handle.h"

#if defined(_WIN32)
#include <windows.h>
#else
#include <dlfcn.h>
#endif

#define METHOD(type, name) JNIEXPORT type JNICALL Java_gradmote_Session_##name
#define CALLS(table) ((const gm_handle_calls *)(uintptr_t)(table))

/* The role of parameters in describe(). */
#define PARAMETER GM_ROLE_LOSS

/* ---- Errors ------------------------------------------------------------------------------------ */

/* Throws GradmoteException and returns 1 if `code` is an error, else returns 0. */
static int throws(JNIEnv *env, int code, const char *where)
{
    if (code >= GM_OK) {
        return 0;
    }
    jclass type = (*env)->FindClass(env, "gradmote/GradmoteException");
    const char *signature = "(ILjava/lang/String;Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;)V";
    jmethodID make = type == NULL ? NULL : (*env)->GetMethodID(env, type, "<init>", signature);
    if (make == NULL) {
        return 1; /* the VM has already thrown */
    }
    jstring name = (*env)->NewStringUTF(env, gm_handle_error_name(code));
    jstring place = (*env)->NewStringUTF(env, where);
    jstring text = (*env)->NewStringUTF(env, gm_handle_error_text(code));
    jstring hint = (*env)->NewStringUTF(env, gm_handle_error_hint(code));
    jobject error = (*env)->NewObject(env, type, make, (jint)code, name, place, text, hint);
    if (error != NULL) {
        (*env)->Throw(env, error);
    }
    return 1;
}

METHOD(void, fail)(JNIEnv *env, jclass type, jint code, jstring where)
{
    const char *text = where == NULL ? NULL : (*env)->GetStringUTFChars(env, where, NULL);
    (void)type;
    if (text != NULL) {
        throws(env, code, text);
        (*env)->ReleaseStringUTFChars(env, where, text);
    }
}

/* ---- Arrays ------------------------------------------------------------------------------------ */

static void copy_ints(JNIEnv *env, jintArray to, const void *from, jsize count)
{
    (*env)->SetIntArrayRegion(env, to, 0, count, from);
}

static jintArray new_ints(JNIEnv *env, const void *from, jsize count)
{
    jintArray made = (*env)->NewIntArray(env, count);
    if (made != NULL) {
        copy_ints(env, made, from, count);
    }
    return made;
}

static jbyteArray new_bytes(JNIEnv *env, const void *from, size_t count)
{
    jbyteArray made = (*env)->NewByteArray(env, (jsize)count);
    if (made != NULL) {
        (*env)->SetByteArrayRegion(env, made, 0, (jsize)count, from);
    }
    return made;
}

/* Copies a byte array. Returns NULL if it is null or there is no memory. size: NULL for a text,
 * which the caller has terminated with a zero. */
static void *bytes_of(JNIEnv *env, jbyteArray array, size_t *size)
{
    size_t count = array == NULL ? 0 : (size_t)(*env)->GetArrayLength(env, array);
    char *copy = array == NULL ? NULL : malloc(count + 1);
    if (copy != NULL) {
        (*env)->GetByteArrayRegion(env, array, 0, (jsize)count, (jbyte *)copy);
        copy[count] = 0;
    }
    if (size != NULL) {
        *size = count;
    }
    return copy;
}

/* ---- Opening and closing ----------------------------------------------------------------------- */

typedef const gm_handle_calls *(*table_of_library)(void);

/* Returns the table's function in the library at a UTF-8 path, or NULL. */
static table_of_library find_table(const char *path)
{
    table_of_library found = NULL;
#if defined(_WIN32)
    WCHAR wide[32768]; /* the longest path of Windows */
    int fits = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide, sizeof wide / sizeof wide[0]);
    HMODULE library = fits == 0 ? NULL : LoadLibraryW(wide);
    FARPROC symbol = library == NULL ? NULL : GetProcAddress(library, "gm_handle_table");
#else
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *symbol = library == NULL ? NULL : dlsym(library, "gm_handle_table");
#endif
    memcpy(&found, &symbol, sizeof found);
    return found;
}

METHOD(jlong, loadLibrary)(JNIEnv *env, jclass type, jbyteArray path)
{
    char *text = bytes_of(env, path, NULL);
    table_of_library table = text == NULL ? NULL : find_table(text);
    (void)type;
    throws(env, table == NULL ? (int)GM_ERR_NO_LIBRARY : GM_OK, text == NULL ? "library" : text);
    free(text);
    return table == NULL ? 0 : (jlong)(uintptr_t)table();
}

METHOD(jlong, open)(JNIEnv *env, jclass type, jlong table, jbyteArray image, jint threads)
{
    size_t size;
    void *bytes = bytes_of(env, image, &size);
    int64_t handle = CALLS(table)->open(bytes, size, threads < 0 ? 0 : (uint32_t)threads);
    (void)type;
    free(bytes);
    throws(env, handle < 0 ? (int)handle : GM_OK, "open");
    return handle;
}

METHOD(void, close)(JNIEnv *env, jclass type, jlong table, jlong handle)
{
    int status = CALLS(table)->close(handle);
    (void)type;
    throws(env, status == GM_ERR_CLOSED ? GM_OK : status, "close");
}

/* ---- Tensors ----------------------------------------------------------------------------------- */

/* Returns the name, or null past the last tensor. described: 10 ints, from `programs` on. */
METHOD(jbyteArray, describe)(JNIEnv *env, jclass type, jlong table, jlong handle, jint role, jint index,
                             jintArray described)
{
    gm_handle_tensor tensor;
    uint32_t at = (uint32_t)index;
    (void)type;
    int status = role == PARAMETER ? CALLS(table)->parameter(handle, at, &tensor)
                                   : CALLS(table)->tensor_at(handle, (uint32_t)role, at, &tensor);
    if (status == GM_ERR_NOT_FOUND || throws(env, status, "describe")) {
        return NULL;
    }
    copy_ints(env, described, &tensor.programs, 4 + GM_MAX_RANK);
    return new_bytes(env, tensor.name, strlen(tensor.name));
}

/* Writes an array of a dtype with elements of `width` bytes. */
static int write_array(JNIEnv *env, const gm_handle_calls *calls, jlong handle, jint role, jint index, jarray data,
                       uint32_t dtype, jint width)
{
    size_t size = (size_t)width * (size_t)(*env)->GetArrayLength(env, data);
    void *bytes = (*env)->GetPrimitiveArrayCritical(env, data, NULL);
    int status = calls->write(handle, (uint32_t)role, (uint32_t)index, dtype, bytes, size);
    if (bytes != NULL) {
        (*env)->ReleasePrimitiveArrayCritical(env, data, bytes, JNI_ABORT);
    }
    return status;
}

/* Writes a direct buffer with bytes of the tensor's type. */
static int write_buffer(JNIEnv *env, const gm_handle_calls *calls, jlong handle, jint role, jint index, jobject data)
{
    gm_handle_tensor tensor;
    const void *bytes = (*env)->GetDirectBufferAddress(env, data);
    jlong size = (*env)->GetDirectBufferCapacity(env, data);
    int status = calls->tensor_at(handle, (uint32_t)role, (uint32_t)index, &tensor);
    if (status != GM_OK || size < 0) {
        return status != GM_OK ? status : GM_ERR_INVALID_ARGUMENT;
    }
    return calls->write(handle, (uint32_t)role, (uint32_t)index, tensor.dtype, bytes, (size_t)size);
}

static int is_a(JNIEnv *env, jobject object, const char *name)
{
    jclass type = (*env)->FindClass(env, name);
    return type != NULL && (*env)->IsInstanceOf(env, object, type);
}

/* data: an array of the dtype with elements of `width` bytes, or a direct ByteBuffer. */
METHOD(void, write)(JNIEnv *env, jclass type, jlong table, jlong handle, jint role, jint index, jint dtype, jint width,
                    jobject data)
{
    char where[32];
    int status = GM_ERR_INVALID_ARGUMENT;
    (void)type;
    snprintf(where, sizeof where, "%s %d", role == GM_ROLE_INPUT ? "input" : "label", (int)index);
    if (data != NULL && is_a(env, data, "java/nio/Buffer")) {
        status = write_buffer(env, CALLS(table), handle, role, index, data);
    } else if (data != NULL) {
        status = write_array(env, CALLS(table), handle, role, index, data, (uint32_t)dtype, width);
    }
    throws(env, status, where);
}

METHOD(void, read)(JNIEnv *env, jclass type, jlong table, jlong handle, jint role, jint index, jint dtype, jint width,
                   jarray data)
{
    size_t size = (size_t)width * (size_t)(*env)->GetArrayLength(env, data);
    void *bytes = (*env)->GetPrimitiveArrayCritical(env, data, NULL);
    (void)type;
    int status = CALLS(table)->read(handle, (uint32_t)role, (uint32_t)index, (uint32_t)dtype, bytes, size);
    if (bytes != NULL) {
        (*env)->ReleasePrimitiveArrayCritical(env, data, bytes, 0);
    }
    throws(env, status, "output");
}

/* ---- Running ----------------------------------------------------------------------------------- */

METHOD(jfloat, run)(JNIEnv *env, jclass type, jlong table, jlong handle, jint program)
{
    static const char *const names[] = {"infer", "evalStep", "trainStep", "optimizerStep", "step"};
    float loss = 0;
    (void)type;
    throws(env, CALLS(table)->run(handle, (uint32_t)program, &loss), names[(uint32_t)program % GM_PROGRAM_COUNT]);
    return loss;
}

METHOD(jint, outputSize)(JNIEnv *env, jclass type, jlong table, jlong handle, jint index)
{
    int64_t size = CALLS(table)->output_size(handle, (uint32_t)index);
    (void)type;
    throws(env, (int)size, "output");
    return (jint)size;
}

METHOD(jint, classify)(JNIEnv *env, jclass type, jlong table, jlong handle, jint row)
{
    uint32_t label = 0;
    float score;
    (void)type;
    throws(env, CALLS(table)->classify(handle, (uint32_t)row, &label, &score), "classify");
    return (jint)label;
}

METHOD(jintArray, control)(JNIEnv *env, jclass type, jlong table, jlong handle)
{
    gm_control control;
    (void)type;
    if (throws(env, CALLS(table)->control(handle, &control), "control")) {
        return NULL;
    }
    return new_ints(env, &control, (jsize)(sizeof control / 4));
}

/* A method that passes numbers to a function of the table. */
#define PASSES(name, call, ...)                                             \
    METHOD(void, name)(JNIEnv * env, jclass type, jlong table, __VA_ARGS__) \
    {                                                                       \
        (void)type;                                                         \
        throws(env, CALLS(table)->call, #name);                             \
    }

PASSES(reset, reset(handle), jlong handle)
PASSES(lazyResetGrad, lazy_reset_grad(handle), jlong handle)
PASSES(optimizerStepOnSum, optimizer_step_on_sum(handle), jlong handle)
PASSES(setLearningRate, set_learning_rate(handle, rate), jlong handle, jfloat rate)
PASSES(setSeed, set_seed(handle, (uint32_t)seed), jlong handle, jint seed)
PASSES(learn, learn(handle, (uint32_t)label), jlong handle, jint label)
PASSES(forget, forget(handle, (uint32_t)label), jlong handle, jint label)

METHOD(void, setLinearSchedule)(JNIEnv *env, jclass type, jlong table, jlong handle, jfloat rate, jint warmup,
                                jint total)
{
    int status = warmup < 0 || total < 0
                     ? GM_ERR_INVALID_ARGUMENT
                     : CALLS(table)->set_linear_schedule(handle, rate, (uint32_t)warmup, (uint32_t)total);
    (void)type;
    throws(env, status, "setLinearSchedule");
}

/* ---- The state --------------------------------------------------------------------------------- */

METHOD(void, get)(JNIEnv *env, jclass type, jlong table, jlong handle, jint values, jint index, jint width, jarray data)
{
    size_t size = (size_t)width * (size_t)(*env)->GetArrayLength(env, data);
    void *bytes = (*env)->GetPrimitiveArrayCritical(env, data, NULL);
    (void)type;
    int status = CALLS(table)->get(handle, (uint32_t)values, (uint32_t)index, bytes, size);
    if (bytes != NULL) {
        (*env)->ReleasePrimitiveArrayCritical(env, data, bytes, 0);
    }
    throws(env, status, "parameters");
}

METHOD(void, set)(JNIEnv *env, jclass type, jlong table, jlong handle, jint values, jint index, jint width, jarray data)
{
    size_t size = data == NULL ? 0 : (size_t)width * (size_t)(*env)->GetArrayLength(env, data);
    void *bytes = data == NULL ? NULL : (*env)->GetPrimitiveArrayCritical(env, data, NULL);
    (void)type;
    int status = CALLS(table)->set(handle, (uint32_t)values, (uint32_t)index, bytes, size);
    if (bytes != NULL) {
        (*env)->ReleasePrimitiveArrayCritical(env, data, bytes, JNI_ABORT);
    }
    throws(env, status, "parameters");
}

METHOD(jbyteArray, save)(JNIEnv *env, jclass type, jlong table, jlong handle, jboolean with_optimizer)
{
    int64_t size = CALLS(table)->checkpoint_size(handle, 0);
    void *bytes = size < 0 ? NULL : malloc((size_t)size);
    int status = size < 0 ? (int)size : bytes == NULL ? (int)GM_ERR_NO_MEMORY : GM_OK;
    (void)type;
    if (status == GM_OK) {
        status = with_optimizer ? CALLS(table)->save(handle, 0, bytes, (size_t)size)
                                : CALLS(table)->save_without_optimizer(handle, bytes, (size_t)size);
    }
    jbyteArray saved = throws(env, status, "save") ? NULL : new_bytes(env, bytes, (size_t)size);
    free(bytes);
    return saved;
}

METHOD(jbyteArray, exportModel)(JNIEnv *env, jclass type, jlong table, jlong handle, jbyteArray file)
{
    size_t length = 0;
    void *given = bytes_of(env, file, &length);
    int64_t size = CALLS(table)->export_size(handle, given, length);
    void *bytes = size < 0 ? NULL : malloc((size_t)size);
    int status = size < 0 ? (int)size : bytes == NULL ? (int)GM_ERR_NO_MEMORY : GM_OK;
    (void)type;
    if (status == GM_OK) {
        status = CALLS(table)->export_model(handle, given, length, bytes, (size_t)size);
    }
    jbyteArray model = throws(env, status, "exportModel") ? NULL : new_bytes(env, bytes, (size_t)size);
    free(bytes);
    free(given);
    return model;
}

METHOD(jbyteArray, trainedImage)(JNIEnv *env, jclass type, jlong table, jlong handle)
{
    int64_t size = CALLS(table)->image_size(handle);
    void *bytes = size < 0 ? NULL : malloc((size_t)size);
    int status = size < 0 ? (int)size : bytes == NULL ? (int)GM_ERR_NO_MEMORY : GM_OK;
    (void)type;
    if (status == GM_OK) {
        status = CALLS(table)->trained_image(handle, bytes, (size_t)size);
    }
    jbyteArray image = throws(env, status, "trainedImage") ? NULL : new_bytes(env, bytes, (size_t)size);
    free(bytes);
    return image;
}

METHOD(jint, restore)(JNIEnv *env, jclass type, jlong table, jlong handle, jbyteArray file, jboolean carries_over)
{
    size_t size;
    uint32_t carried = 0;
    void *bytes = bytes_of(env, file, &size);
    int status = GM_ERR_INVALID_ARGUMENT;
    (void)type;
    if (bytes != NULL && carries_over) {
        status = CALLS(table)->carry_over(handle, bytes, size, &carried);
    } else if (bytes != NULL) {
        status = CALLS(table)->load(handle, bytes, size);
    }
    free(bytes);
    throws(env, status, carries_over ? "carryOver" : "load");
    return (jint)carried;
}

METHOD(void, setProperty)(JNIEnv *env, jclass type, jlong table, jlong handle, jbyteArray key, jint kind, jint value)
{
    char *text = bytes_of(env, key, NULL);
    int status = CALLS(table)->set_property(handle, text, (uint32_t)kind, (uint32_t)value);
    (void)type;
    free(text);
    throws(env, status, "setProperty");
}

/* Returns type and bits of the property, or null if there is none with this key. */
METHOD(jintArray, property)(JNIEnv *env, jclass type, jlong table, jlong handle, jbyteArray key)
{
    gm_property found;
    char *text = bytes_of(env, key, NULL);
    int status = CALLS(table)->property(handle, text, &found);
    (void)type;
    free(text);
    return status == GM_ERR_NOT_FOUND || throws(env, status, "property") ? NULL : new_ints(env, &found.type, 2);
}

/* Writes type and bits of the index-th property, and returns its zero-padded key, or null if there are fewer. */
METHOD(jbyteArray, propertyAt)(JNIEnv *env, jclass type, jlong table, jlong handle, jint index, jintArray described)
{
    gm_property found;
    jint words[2];
    int status = CALLS(table)->property_at(handle, (uint32_t)index, &found);
    (void)type;
    if (status == GM_ERR_NOT_FOUND || throws(env, status, "propertyAt")) {
        return NULL;
    }
    memcpy(words, &found.type, sizeof words);
    (*env)->SetIntArrayRegion(env, described, 0, 2, words);
    return new_bytes(env, found.key, sizeof found.key);
}

/* ---- The sample store -------------------------------------------------------------------------- */

METHOD(jfloat, replay)(JNIEnv *env, jclass type, jlong table, jlong handle)
{
    float loss = 0;
    (void)type;
    throws(env, CALLS(table)->replay(handle, &loss), "replay");
    return loss;
}

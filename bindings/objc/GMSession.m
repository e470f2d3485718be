#import "GMSession.h"
#include "gm_handle.h"

NSString *const GMErrorDomain = @"GMErrorDomain";

/* Returns whether `code` is none of an error; else fills in *error. */
static BOOL succeeds(int code, NSString *where, NSError **error)
{
    if (code < GM_OK && error != NULL) {
        NSString *text = [NSString stringWithFormat:@"%@: %s (%s, %d)", where, gm_handle_error_text(code), gm_handle_error_name(code), code];
        NSString *hint = [NSString stringWithUTF8String:gm_handle_error_hint(code)];
        NSDictionary *told = @{NSLocalizedDescriptionKey : text, NSLocalizedRecoverySuggestionErrorKey : hint};
        *error = [NSError errorWithDomain:GMErrorDomain code:code userInfo:told];
    }
    return code >= GM_OK;
}

@implementation GMTensor
@synthesize name = _name, shape = _shape, isInteger = _isInteger, size = _size;

- (instancetype)initWithRole:(uint32_t)role index:(uint32_t)index record:(const gm_handle_tensor *)record
{
    if ((self = [super init])) {
        NSMutableArray *dims = [NSMutableArray array];
        for (uint32_t axis = 0; axis < record->rank; axis++) {
            [dims addObject:@(record->dims[axis])];
        }
        _role = role;
        _index = index;
        _programs = record->programs;
        _dtype = record->dtype;
        _isInteger = record->dtype == GM_DTYPE_I32;
        _size = record->size;
        _name = [[NSString alloc] initWithUTF8String:record->name] ?: @"";
        _shape = [dims copy];
    }
    return self;
}

- (void)dealloc { GM_DEALLOC([_name release]; [_shape release];); }

- (BOOL)isInProgram:(GMProgram)program { return (_programs >> program & 1) != 0; }
@end

/* The role that stands for parameters. */
#define PARAMETER GM_ROLE_LOSS

@implementation GMSession
@synthesize inputs = _inputs, labels = _labels, outputs = _outputs, parameters = _parameters;

- (nullable instancetype)initWithImage:(NSData *)image error:(NSError **)error
{
    return [self initWithImage:image threads:1 error:error];
}

- (nullable instancetype)initWithImage:(NSData *)image threads:(NSUInteger)threads error:(NSError **)error
{
    if ((self = [super init])) {
        _handle = gm_handle_open(image.bytes, image.length, threads > GM_MAX_PARTS ? 0 : (uint32_t)threads);
        if (!succeeds(_handle < 0 ? (int)_handle : GM_OK, @"open", error)) {
            (void)GM_GIVE(self);
            return nil;
        }
        _inputs = [[self tensorsOfRole:GM_ROLE_INPUT] copy];
        _labels = [[self tensorsOfRole:GM_ROLE_LABEL] copy];
        _outputs = [[self tensorsOfRole:GM_ROLE_OUTPUT] copy];
        _parameters = [[self tensorsOfRole:PARAMETER] copy];
    }
    return self;
}

- (void)dealloc
{
    gm_handle_close(_handle);
    GM_DEALLOC([_inputs release]; [_labels release]; [_outputs release]; [_parameters release];);
}

- (BOOL)close:(NSError **)error
{
    int status = gm_handle_close(_handle);
    return succeeds(status == GM_ERR_CLOSED ? GM_OK : status, @"close", error);
}

- (NSArray<GMTensor *> *)tensorsOfRole:(uint32_t)role
{
    NSMutableArray *found = [NSMutableArray array];
    gm_handle_tensor record;
    for (uint32_t index = 0;; index++) {
        int status = role == PARAMETER ? gm_handle_parameter(_handle, index, &record)
                                       : gm_handle_tensor_at(_handle, role, index, &record);
        if (status != GM_OK) {
            return found;
        }
        [found addObject:GM_GIVE([[GMTensor alloc] initWithRole:role index:index record:&record])];
    }
}

/* ---- Running ----------------------------------------------------------------------------------- */

- (BOOL)feed:(NSArray<NSData *> *)data program:(GMProgram)program error:(NSError **)error
{
    NSUInteger next = 0;
    for (GMTensor *tensor in [_inputs arrayByAddingObjectsFromArray:_labels]) {
        if ([tensor isInProgram:program]) {
            NSData *bytes = next < data.count ? [data objectAtIndex:next] : nil;
            int status = bytes == nil ? GM_ERR_WRONG_COUNT : gm_handle_write(_handle, tensor->_role, tensor->_index, tensor->_dtype, bytes.bytes, bytes.length);
            if (!succeeds(status, tensor.name, error)) {
                return NO;
            }
            next++;
        }
    }
    return succeeds(next == 0 || next == data.count ? GM_OK : GM_ERR_WRONG_COUNT, @"data", error);
}

- (float)run:(GMProgram)program with:(NSArray<NSData *> *)data error:(NSError **)error
{
    float loss = NAN;
    if (__atomic_exchange_n(&_runs, 1, __ATOMIC_ACQUIRE) == 1) {
        succeeds(GM_ERR_IN_USE, @"run", error);
        return NAN;
    }
    BOOL runs = [self feed:data program:program error:error];
    if (runs && !succeeds(gm_handle_run(_handle, (uint32_t)program, &loss), @"run", error)) {
        loss = NAN;
    }
    __atomic_store_n(&_runs, 0, __ATOMIC_RELEASE);
    return loss;
}

- (float)step:(NSArray<NSData *> *)data error:(NSError **)error
{
    return [self run:GMProgramStep with:data error:error];
}

- (nullable NSData *)infer:(NSArray<NSData *> *)data error:(NSError **)error
{
    if (isnan([self run:GMProgramInfer with:data error:error])) {
        return nil;
    }
    for (GMTensor *output in _outputs) {
        if ([output isInProgram:GMProgramInfer]) {
            return [self output:output error:error];
        }
    }
    return nil;
}

- (nullable NSData *)output:(GMTensor *)output error:(NSError **)error
{
    NSMutableData *values = [NSMutableData dataWithLength:output.size];
    int status = gm_handle_read(_handle, output->_role, output->_index, output->_dtype, values.mutableBytes, values.length);
    return succeeds(status, @"output", error) ? values : nil;
}

- (NSInteger)classifyRow:(NSUInteger)row error:(NSError **)error
{
    uint32_t label;
    float score;
    return succeeds(gm_handle_classify(_handle, (uint32_t)row, &label, &score), @"classify", error) ? (NSInteger)label : -1;
}

- (BOOL)lazyResetGrad:(NSError **)error
{
    return succeeds(gm_handle_lazy_reset_grad(_handle), @"lazyResetGrad", error);
}

- (BOOL)reset:(NSError **)error { return succeeds(gm_handle_reset(_handle), @"reset", error); }

- (float)learningRate
{
    gm_control control;
    return gm_handle_control(_handle, &control) == GM_OK ? control.learning_rate : NAN;
}

- (BOOL)setLearningRate:(float)rate error:(NSError **)error
{
    return succeeds(gm_handle_set_learning_rate(_handle, rate), @"setLearningRate", error);
}

- (BOOL)setLinearSchedule:(float)rate warmupSteps:(uint32_t)warmup totalSteps:(uint32_t)total error:(NSError **)error
{
    return succeeds(gm_handle_set_linear_schedule(_handle, rate, warmup, total), @"setLinearSchedule", error);
}

- (BOOL)setSeed:(uint32_t)seed error:(NSError **)error
{
    return succeeds(gm_handle_set_seed(_handle, seed), @"setSeed", error);
}

/* ---- The state --------------------------------------------------------------------------------- */

- (nullable NSData *)parameterData:(NSError **)error
{
    NSUInteger size = 0;
    for (GMTensor *parameter in _parameters) {
        size += parameter.size;
    }
    NSMutableData *values = [NSMutableData dataWithLength:size];
    int status = gm_handle_get(_handle, GM_VALUES_PARAMETERS, 0, values.mutableBytes, size);
    return succeeds(status, @"parameters", error) ? values : nil;
}

- (BOOL)setParameterData:(NSData *)values error:(NSError **)error
{
    return succeeds(gm_handle_set(_handle, GM_VALUES_PARAMETERS, 0, values.bytes, values.length), @"parameters", error);
}

- (nullable NSData *)save:(NSError **)error
{
    int64_t size = gm_handle_checkpoint_size(_handle, 0);
    NSMutableData *file = [NSMutableData dataWithLength:size > 0 ? (NSUInteger)size : 0];
    int status = size < 0 ? (int)size : gm_handle_save(_handle, 0, file.mutableBytes, file.length);
    return succeeds(status, @"save", error) ? file : nil;
}

- (BOOL)load:(NSData *)checkpoint error:(NSError **)error
{
    return succeeds(gm_handle_load(_handle, checkpoint.bytes, checkpoint.length), @"load", error);
}

- (BOOL)setProperty:(NSNumber *)value forKey:(NSString *)key error:(NSError **)error
{
    BOOL isInteger = value.objCType[0] == 'i';
    float number = value.floatValue;
    uint32_t bits = (uint32_t)value.intValue;
    if (!isInteger) {
        memcpy(&bits, &number, sizeof bits);
    }
    uint32_t type = isInteger ? GM_PROPERTY_TYPE_I32 : GM_PROPERTY_TYPE_F32;
    return succeeds(gm_handle_set_property(_handle, key.UTF8String, type, bits), key, error);
}

- (nullable NSNumber *)propertyForKey:(NSString *)key error:(NSError **)error
{
    gm_property found;
    float number;
    if (!succeeds(gm_handle_property(_handle, key.UTF8String, &found), key, error)) {
        return nil;
    }
    memcpy(&number, &found.value, sizeof number);
    return found.type == GM_PROPERTY_TYPE_I32 ? @((int)found.value) : @(number);
}
@end

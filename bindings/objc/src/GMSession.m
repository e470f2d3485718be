#import "GMError.h"

/* The role after those of the image's tensors. */
#define PARAMETER (GM_ROLE_OUTPUT + 1)

@implementation GMTensor

@synthesize name = _name, shape = _shape, length = _length, dtype = _dtype;

/* Describes a tensor of a session. Returns nil if the session has no more of this role. */
- (instancetype)initWithSession:(int64_t)session role:(uint32_t)role index:(uint32_t)index {
    gm_handle_tensor found;
    int status = role == PARAMETER ? gm_handle_parameter(session, index, &found)
                                   : gm_handle_tensor_at(session, role, index, &found);
    self = [super init];
    if (status != GM_OK) return GM_RELEASE(self), nil;
    NSMutableArray *shape = [NSMutableArray array];
    for (uint32_t axis = 0; axis < found.rank; axis++) [shape addObject:@(found.dims[axis])];
    _role = role;
    _index = index;
    _programs = found.programs;
    _length = found.size;
    _dtype = (GMDType)found.dtype;
    _name = [[NSString alloc] initWithUTF8String:found.name];
    _shape = [shape copy];
    return self;
}

- (void)dealloc { GM_RELEASE(_name); GM_RELEASE(_shape); GM_DEALLOC(); }

- (BOOL)isInteger { return _dtype != GMDTypeF32; }

- (BOOL)isInProgram:(GMProgram)program { return program <= GMProgramStep && (_programs >> program & 1); }

@end

/* For each dtype the bytes, the limits of integers, and the name. */
static const struct {
    uint32_t length;
    int32_t least, most;
    const char *name;
} numbersOf[GM_DTYPE_COUNT] = {
    [GM_DTYPE_F32] = {4, 0, 0, "float"},
    [GM_DTYPE_I32] = {4, INT32_MIN, INT32_MAX, "int32_t"},
    [GM_DTYPE_I8] = {1, INT8_MIN, INT8_MAX, "int8_t"},
    [GM_DTYPE_U8] = {1, 0, UINT8_MAX, "uint8_t"},
    [GM_DTYPE_I16] = {2, INT16_MIN, INT16_MAX, "int16_t"},
};

/* Returns numbers in a tensor's memory format, or nil if one is not a number or does not fit.
 * Integers are little-endian. */
static NSData *packed(NSArray *numbers, GMDType dtype) {
    uint32_t length = numbersOf[dtype].length;
    NSMutableData *packed = [NSMutableData dataWithCapacity:length * [numbers count]];
    for (NSNumber *number in numbers) {
        if (![number isKindOfClass:[NSNumber class]]) return nil;
        int32_t integer = (int32_t)[number longLongValue];
        float real = [number floatValue];
        BOOL isReal = dtype == GMDTypeF32, isIn = integer >= numbersOf[dtype].least && integer <= numbersOf[dtype].most;
        if (!isReal && (!isIn || ![number isEqualToNumber:@(integer)])) return nil;
        [packed appendBytes:isReal ? (void *)&real : (void *)&integer length:length];
    }
    return packed;
}

/* Calls the runtime with this session, and converts an error code to *error. YES if there was
 * none. */
#define CALL(name, ...) GMCheck(gm_handle_##name(_handle, ##__VA_ARGS__), @#name, error)

@implementation GMSession

@synthesize inputs = _inputs, labels = _labels, outputs = _outputs, parameters = _parameters;

+ (BOOL)isFused { return gm_handle_fused() != 0; }

- (instancetype)initWithImage:(NSData *)image threads:(uint32_t)threads error:(NSError **)error {
    self = [super init];
    int64_t handle = gm_handle_open([image bytes], [image length], threads);
    if (!GMCheck(handle, @"open", error)) return GM_RELEASE(self), nil;
    _handle = handle;
    _inputs = [self copyTensors:GM_ROLE_INPUT];
    _labels = [self copyTensors:GM_ROLE_LABEL];
    _outputs = [self copyTensors:GM_ROLE_OUTPUT];
    _parameters = [self copyTensors:PARAMETER];
    _data = [self copyDataOfPrograms];
    return self;
}

- (void)dealloc {
    (void)gm_handle_close(_handle);
    GM_RELEASE(_inputs), GM_RELEASE(_labels), GM_RELEASE(_outputs), GM_RELEASE(_parameters), GM_RELEASE(_data);
    GM_DEALLOC();
}

- (BOOL)closeWithError:(NSError **)error {
    int status = gm_handle_close(_handle);
    return status == GM_ERR_CLOSED || GMCheck(status, @"close", error);
}

- (NSArray *)copyTensors:(uint32_t)role {
    NSMutableArray *found = [NSMutableArray array];
    GMTensor *tensor;
    while ((tensor = [[GMTensor alloc] initWithSession:_handle role:role index:(uint32_t)[found count]]) != nil) {
        [found addObject:tensor];
        GM_RELEASE(tensor);
    }
    return [found copy];
}

- (NSArray *)copyDataOfPrograms {
    NSMutableArray *programs = [NSMutableArray array];
    for (GMProgram program = GMProgramInfer; program <= GMProgramStep; program++) {
        NSMutableArray *taken = [NSMutableArray array];
        for (GMTensor *tensor in [_inputs arrayByAddingObjectsFromArray:_labels]) {
            if ([tensor isInProgram:program]) [taken addObject:tensor];
        }
        [programs addObject:taken];
    }
    return [programs copy];
}

- (NSArray *)dataOfProgram:(GMProgram)program { return program < [_data count] ? [_data objectAtIndex:program] : @[]; }

/* ---- Programs ---------------------------------------------------------------------------------- */

- (BOOL)write:(id)value to:(GMTensor *)tensor error:(NSError **)error {
    NSData *data = [value isKindOfClass:[NSArray class]] ? packed(value, tensor.dtype) : value;
    int status = GM_ERR_WRONG_DTYPE;
    if ([data isKindOfClass:[NSData class]]) {
        const void *bytes = [data length] > 0 ? [data bytes] : "";
        status = gm_handle_write(_handle, tensor->_role, tensor->_index, tensor.dtype, bytes, [data length]);
    }
    if (status == GM_OK) return YES;
    unsigned long length = (unsigned long)tensor.length;
    NSString *where = [NSString stringWithFormat:@"%@, of %lu bytes of %s", tensor.name, length, numbersOf[tensor.dtype].name];
    return GMFail(status, where, error);
}

- (BOOL)writeAll:(NSArray *)data to:(NSArray *)tensors where:(NSString *)where error:(NSError **)error {
    if ([data count] != [tensors count]) return GMFail(GM_ERR_WRONG_COUNT, where, error);
    for (NSUInteger i = 0; i < [tensors count]; i++) {
        if (![self write:[data objectAtIndex:i] to:[tensors objectAtIndex:i] error:error]) return NO;
    }
    return YES;
}

- (BOOL)run:(GMProgram)program data:(NSArray *)data loss:(float *)loss where:(NSString *)where error:(NSError **)error {
    if (__atomic_exchange_n(&_runs, 1, __ATOMIC_ACQUIRE)) return GMFail(GM_ERR_IN_USE, where, error);
    NSArray *taken = [self dataOfProgram:program];
    BOOL isDone = ([taken count] == 0 || [self writeAll:data to:taken where:where error:error]) &&
                  GMCheck(gm_handle_run(_handle, program, loss), where, error);
    __atomic_store_n(&_runs, 0, __ATOMIC_RELEASE);
    return isDone;
}

- (BOOL)stepWithData:(NSArray *)data loss:(float *)loss error:(NSError **)error {
    return [self run:GMProgramStep data:data loss:loss where:@"step" error:error];
}

- (BOOL)trainStepWithData:(NSArray *)data loss:(float *)loss error:(NSError **)error {
    return [self run:GMProgramTrain data:data loss:loss where:@"train step" error:error];
}

- (BOOL)optimizerStepWithError:(NSError **)error {
    return [self run:GMProgramOptimizer data:@[] loss:NULL where:@"optimizer step" error:error];
}

- (BOOL)optimizerStepOnSumWithError:(NSError **)error { return CALL(optimizer_step_on_sum); }

- (BOOL)lazyResetGradWithError:(NSError **)error { return CALL(lazy_reset_grad); }

- (BOOL)evalStepWithData:(NSArray *)data loss:(float *)loss error:(NSError **)error {
    return [self run:GMProgramEval data:data loss:loss where:@"eval step" error:error];
}

- (NSData *)inferWithData:(NSArray *)data error:(NSError **)error {
    if (![self run:GMProgramInfer data:data loss:NULL where:@"infer" error:error]) return nil;
    for (GMTensor *output in _outputs) {
        if ([output isInProgram:GMProgramInfer]) return [self output:output error:error];
    }
    return GMFail(GM_ERR_NOT_FOUND, @"infer", error), nil;
}

- (NSData *)output:(GMTensor *)output error:(NSError **)error {
    if (output == nil) return GMFail(GM_ERR_INVALID_ARGUMENT, @"output", error), nil;
    int64_t size = gm_handle_output_size(_handle, output->_index);
    if (!GMCheck(size, output.name, error)) return nil;
    NSMutableData *values = [NSMutableData dataWithLength:(NSUInteger)size];
    return CALL(read, output->_role, output->_index, output.dtype, [values mutableBytes], [values length]) ? values : nil;
}

- (NSNumber *)classifyRow:(uint32_t)row error:(NSError **)error {
    uint32_t label = 0;
    float score;
    return CALL(classify, row, &label, &score) ? @(label) : nil;
}

- (BOOL)resetWithError:(NSError **)error { return CALL(reset); }

/* ---- Rates ------------------------------------------------------------------------------------- */

- (NSNumber *)learningRateWithError:(NSError **)error {
    gm_control control;
    return CALL(control, &control) ? @(control.learning_rate) : nil;
}

- (NSNumber *)optimizerStepsWithError:(NSError **)error {
    gm_control control;
    return CALL(control, &control) ? @(control.optimizer_steps) : nil;
}

- (BOOL)setLearningRate:(float)rate error:(NSError **)error { return CALL(set_learning_rate, rate); }

- (BOOL)setLinearScheduleWithRate:(float)rate warmup:(uint32_t)warmup total:(uint32_t)total error:(NSError **)error {
    return CALL(set_linear_schedule, rate, warmup, total);
}

- (BOOL)setSeed:(uint32_t)seed error:(NSError **)error { return CALL(set_seed, seed); }

/* ---- Parameters -------------------------------------------------------------------------------- */

- (NSData *)get:(uint32_t)values index:(uint32_t)index length:(NSUInteger)length error:(NSError **)error {
    NSMutableData *found = [NSMutableData dataWithLength:length];
    return CALL(get, values, index, [found mutableBytes], length) ? found : nil;
}

- (NSData *)get:(uint32_t)values named:(NSString *)name error:(NSError **)error {
    for (GMTensor *tensor in _parameters) {
        if (![tensor.name isEqualToString:name]) continue;
        NSUInteger count = tensor.length / numbersOf[tensor.dtype].length, isGradient = values == GM_VALUES_GRADIENT;
        NSUInteger length = isGradient ? count * sizeof(float) : tensor.length;
        return [self get:values index:tensor->_index length:length error:error];
    }
    return GMFail(GM_ERR_NOT_FOUND, [NSString stringWithFormat:@"parameter %@", name], error), nil;
}

- (NSUInteger)parametersLength {
    NSUInteger length = 0;
    for (GMTensor *tensor in _parameters) length += (tensor.length + 3) / 4 * 4;
    return length;
}

- (NSData *)parameterNamed:(NSString *)name error:(NSError **)error {
    return [self get:GM_VALUES_PARAMETER named:name error:error];
}

- (NSData *)gradientNamed:(NSString *)name error:(NSError **)error {
    return [self get:GM_VALUES_GRADIENT named:name error:error];
}

- (NSData *)parameterValuesWithError:(NSError **)error {
    return [self get:GM_VALUES_PARAMETERS index:0 length:[self parametersLength] error:error];
}

- (BOOL)setParameterValues:(NSData *)values error:(NSError **)error {
    return CALL(set, GM_VALUES_PARAMETERS, 0, [values bytes], [values length]);
}

- (NSData *)deltaWithError:(NSError **)error {
    return [self get:GM_VALUES_DELTA index:0 length:[self parametersLength] error:error];
}

- (BOOL)applyDelta:(NSData *)delta error:(NSError **)error {
    return CALL(set, GM_VALUES_DELTA, 0, [delta bytes], [delta length]);
}

/* ---- Checkpoints and properties ---------------------------------------------------------------- */

- (NSData *)saveWithError:(NSError **)error {
    int64_t size = gm_handle_checkpoint_size(_handle, 0);
    if (!GMCheck(size, @"save", error)) return nil;
    NSMutableData *saved = [NSMutableData dataWithLength:(NSUInteger)size];
    return CALL(save, 0, [saved mutableBytes], [saved length]) ? saved : nil;
}

- (NSData *)saveWithoutOptimizerWithError:(NSError **)error {
    int64_t size = gm_handle_checkpoint_size(_handle, 0);
    if (!GMCheck(size, @"save", error)) return nil;
    NSMutableData *saved = [NSMutableData dataWithLength:(NSUInteger)size];
    return CALL(save_without_optimizer, [saved mutableBytes], [saved length]) ? saved : nil;
}

- (BOOL)requireAllTrainedWithError:(NSError **)error { return CALL(all_trained); }

- (NSData *)exportModelWithTable:(NSData *)table error:(NSError **)error {
    int64_t size = gm_handle_export_size(_handle, [table bytes], [table length]);
    if (!GMCheck(size, @"export model", error)) return nil;
    NSMutableData *model = [NSMutableData dataWithLength:(NSUInteger)size];
    return CALL(export_model, [table bytes], [table length], [model mutableBytes], [model length]) ? model : nil;
}

- (BOOL)loadCheckpoint:(NSData *)checkpoint error:(NSError **)error {
    return CALL(load, [checkpoint bytes], [checkpoint length]);
}

- (NSNumber *)carryOverCheckpoint:(NSData *)checkpoint error:(NSError **)error {
    uint32_t carried = 0;
    return CALL(carry_over, [checkpoint bytes], [checkpoint length], &carried) ? @(carried) : nil;
}

- (BOOL)setProperty:(NSNumber *)value forKey:(NSString *)key error:(NSError **)error {
    int32_t integer = (int32_t)[value longLongValue];
    float real = [value floatValue];
    BOOL isReal = value != nil && strchr("fd", [value objCType][0]) != NULL;
    uint32_t type = value == nil ? GM_PROPERTY_TYPE_EMPTY : isReal ? GM_PROPERTY_TYPE_F32 : GM_PROPERTY_TYPE_I32;
    uint32_t bits;
    memcpy(&bits, isReal ? (void *)&real : (void *)&integer, sizeof bits);
    BOOL fits = value == nil || isReal || [value isEqualToNumber:@(integer)];
    int status = fits ? gm_handle_set_property(_handle, [key UTF8String], type, bits) : GM_ERR_INVALID_ARGUMENT;
    return GMCheck(status, [NSString stringWithFormat:@"property %@", key], error);
}

static NSNumber *numberOf(const gm_property *found) {
    int32_t integer;
    float real;
    memcpy(&integer, &found->value, sizeof integer);
    memcpy(&real, &found->value, sizeof real);
    return found->type == GM_PROPERTY_TYPE_F32 ? @(real) : @(integer);
}

- (NSNumber *)propertyForKey:(NSString *)key error:(NSError **)error {
    gm_property found;
    int status = gm_handle_property(_handle, [key UTF8String], &found);
    return GMCheck(status, [NSString stringWithFormat:@"property %@", key], error) ? numberOf(&found) : nil;
}

- (NSDictionary *)properties {
    NSMutableDictionary *all = [NSMutableDictionary dictionary];
    gm_property found;
    for (uint32_t i = 0; gm_handle_property_at(_handle, i, &found) == GM_OK; i++) {
        NSString *key = [[NSString alloc] initWithBytes:found.key
                                                 length:strnlen((const char *)found.key, sizeof found.key)
                                               encoding:NSUTF8StringEncoding];
        if (key != nil) [all setObject:numberOf(&found) forKey:key];
        GM_RELEASE(key);
    }
    return all;
}

/* ---- The sample store -------------------------------------------------------------------------- */

- (BOOL)learnSample:(id)sample label:(uint32_t)label error:(NSError **)error {
    GMTensor *input = [_inputs count] > 0 ? [_inputs objectAtIndex:0] : nil;
    if (input == nil) return GMFail(GM_ERR_NOT_FOUND, @"learn", error);
    return [self write:sample to:input error:error] && CALL(learn, label);
}

- (BOOL)replayWithLoss:(float *)loss error:(NSError **)error {
    float unwanted;
    return CALL(replay, loss != NULL ? loss : &unwanted);
}

- (BOOL)forgetLabel:(uint32_t)label error:(NSError **)error { return CALL(forget, label); }

@end

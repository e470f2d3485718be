#import "ORTTrainingSession.h"

/* Returns NO, with a sentence in *error. */
static BOOL refuse(NSString *text, NSError **error)
{
    if (error != NULL) {
        *error = [NSError errorWithDomain:GMErrorDomain code:-1 userInfo:@{NSLocalizedDescriptionKey : text}];
    }
    return NO;
}

@implementation ORTValue

- (nullable instancetype)initWithTensorData:(NSMutableData *)data
                                elementType:(ORTTensorElementDataType)type
                                      shape:(NSArray<NSNumber *> *)shape
                                      error:(NSError **)error
{
    NSUInteger elements = 1;
    for (NSNumber *dim in shape) {
        elements *= dim.unsignedIntegerValue;
    }
    if ((self = [super init])) {
        _data = GM_KEEP(data);
        _type = type;
        if (4 * elements != data.length && !refuse(@"the data does not have this shape - give 4 bytes an element", error)) {
            (void)GM_GIVE(self);
            return nil;
        }
    }
    return self;
}

- (nullable NSMutableData *)tensorDataWithError:(NSError **)error { return _data; }

- (void)dealloc { GM_DEALLOC([_data release];); }
@end

@implementation ORTCheckpoint

- (nullable instancetype)initWithPath:(NSString *)path error:(NSError **)error
{
    if ((self = [super init]) && path.length > 0) {
        _start = [[NSData alloc] initWithContentsOfFile:path];
        if (_start == nil && !refuse([path stringByAppendingString:@": it cannot be read - check the path"], error)) {
            (void)GM_GIVE(self);
            return nil;
        }
    }
    return self;
}

- (BOOL)saveCheckpointToPath:(NSString *)path withOptimizerState:(BOOL)includeOptimizerState error:(NSError **)error
{
    if (_session == nil) {
        return refuse(@"the checkpoint has no session yet - make an ORTTrainingSession with it", error);
    }
    NSData *file = [_session save:error];
    return file != nil && ([file writeToFile:path atomically:YES] || refuse([path stringByAppendingString:@": it cannot be written"], error));
}

- (void)dealloc { GM_DEALLOC([_start release]; [_session release];); }
@end

@implementation ORTTrainingSession
@synthesize session = _session;

- (nullable instancetype)initWithCheckpoint:(ORTCheckpoint *)checkpoint
                             trainModelPath:(NSString *)trainModelPath
                              evalModelPath:(nullable NSString *)evalModelPath
                         optimizerModelPath:(nullable NSString *)optimizerModelPath
                                      error:(NSError **)error
{
    NSData *image = [NSData dataWithContentsOfFile:trainModelPath];
    BOOL areSame = [evalModelPath ?: trainModelPath isEqual:trainModelPath] && [optimizerModelPath ?: trainModelPath isEqual:trainModelPath];
    if (!(self = [super init])) {
        return nil;
    }
    if (image == nil || !areSame || checkpoint->_session != nil) {
        refuse(image == nil ? [trainModelPath stringByAppendingString:@": it cannot be read - check the path"]
               : !areSame   ? @"an image has all programs - pass its path, or nil, for the other models"
                            : @"the checkpoint has a session already - read it again", error);
    } else {
        _session = [[GMSession alloc] initWithImage:image error:error];
    }
    if (_session == nil || (checkpoint->_start != nil && ![_session load:checkpoint->_start error:error])) {
        (void)GM_GIVE(self);
        return nil;
    }
    checkpoint->_session = GM_KEEP(_session);
    return self;
}

- (void)dealloc { GM_DEALLOC([_session release];); }

- (nullable NSArray<ORTValue *> *)run:(GMProgram)program inputs:(NSArray<ORTValue *> *)inputs error:(NSError **)error
{
    NSMutableArray *data = [NSMutableArray array], *results = [NSMutableArray array];
    NSArray *names = [self namesOf:program];
    for (ORTValue *input in inputs) {
        NSUInteger at = data.count;
        GMTensor *tensor = at < names.count ? [names objectAtIndex:at] : nil;
        if (tensor != nil && tensor.isInteger != (input->_type == ORTTensorElementDataTypeInt32)) {
            refuse([tensor.name stringByAppendingString:@": the data has another type than the tensor"], error);
            return nil;
        }
        [data addObject:input->_data];
    }
    float loss = [_session run:program with:data error:error];
    if (isnan(loss)) {
        return nil;
    }
    [results addObject:[self valueOf:[NSMutableData dataWithBytes:&loss length:sizeof loss]]];
    for (GMTensor *output in _session.outputs) {
        if ([output isInProgram:program]) {
            [results addObject:[self valueOf:[NSMutableData dataWithData:[_session output:output error:error]]]];
        }
    }
    return results;
}

- (ORTValue *)valueOf:(NSMutableData *)data
{
    return GM_GIVE([[ORTValue alloc] initWithTensorData:data elementType:ORTTensorElementDataTypeFloat shape:@[ @(data.length / 4) ] error:NULL]);
}

/* Returns the inputs, then the labels, that a program takes. */
- (NSArray<GMTensor *> *)namesOf:(GMProgram)program
{
    NSMutableArray *found = [NSMutableArray array];
    for (GMTensor *tensor in [_session.inputs arrayByAddingObjectsFromArray:_session.labels]) {
        if ([tensor isInProgram:program]) {
            [found addObject:tensor];
        }
    }
    return found;
}

- (nullable NSArray<ORTValue *> *)trainStepWithInputValues:(NSArray<ORTValue *> *)inputs error:(NSError **)error
{
    return [self run:GMProgramTrain inputs:inputs error:error];
}

- (nullable NSArray<ORTValue *> *)evalStepWithInputValues:(NSArray<ORTValue *> *)inputs error:(NSError **)error
{
    return [self run:GMProgramEval inputs:inputs error:error];
}

- (BOOL)optimizerStepWithError:(NSError **)error
{
    return !isnan([_session run:GMProgramOptimizer with:@[] error:error]);
}

- (BOOL)lazyResetGradWithError:(NSError **)error { return [_session lazyResetGrad:error]; }

- (nullable NSArray<NSString *> *)getInputNamesWithTraining:(BOOL)train error:(NSError **)error
{
    return [[self namesOf:train ? GMProgramTrain : GMProgramEval] valueForKey:@"name"];
}

- (BOOL)registerLinearLRSchedulerWithWarmupStepCount:(int64_t)warmupStepCount
                                      totalStepCount:(int64_t)totalStepCount
                                           initialLr:(float)initialLr
                                               error:(NSError **)error
{
    if (warmupStepCount < 0 || totalStepCount < 0 || totalStepCount > UINT32_MAX || warmupStepCount > totalStepCount) {
        return refuse(@"these counts are no schedule - they lie in 0 .. 2^32 - 1, warm-up first", error);
    }
    return [_session setLinearSchedule:initialLr warmupSteps:(uint32_t)warmupStepCount totalSteps:(uint32_t)totalStepCount error:error];
}

- (BOOL)schedulerStepWithError:(NSError **)error { return YES; }

- (float)getLearningRateWithError:(NSError **)error { return _session.learningRate; }

- (BOOL)setLearningRate:(float)lr error:(NSError **)error { return [_session setLearningRate:lr error:error]; }
@end

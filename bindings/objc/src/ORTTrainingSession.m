#import "ORTValue.h"

static uint32_t seed;
static BOOL hasSeed;

void ORTSetSeed(int64_t wanted) {
    seed = (uint32_t)wanted;
    hasSeed = YES;
}

@implementation ORTEnv

- (instancetype)initWithLoggingLevel:(ORTLoggingLevel)level error:(NSError **)error { return [super init]; }

@end

@implementation ORTSessionOptions

- (instancetype)initWithError:(NSError **)error { return [super init]; }

@end

/* Returns whether the path of another program's model is nil or the image's. */
static BOOL isOfImage(NSString *path, NSString *image) { return path == nil || [path isEqualToString:image]; }

/* Opens an image from a file. */
static GMSession *newSession(NSString *path, NSError *__autoreleasing *error) {
    NSData *image = path != nil ? [NSData dataWithContentsOfFile:path] : nil;
    if (image == nil) return GMFail(GM_ERR_IO, [NSString stringWithFormat:@"image %@", path], error), nil;
    GMSession *session = [[GMSession alloc] initWithImage:image threads:1 error:error];
    if (session != nil && hasSeed) (void)[session setSeed:seed error:NULL];
    return session;
}

@implementation ORTTrainingSession

@synthesize session = _session;

- (instancetype)initWithEnv:(ORTEnv *)env
             sessionOptions:(ORTSessionOptions *)sessionOptions
                 checkPoint:(ORTCheckpoint *)checkPoint
             trainModelPath:(NSString *)trainModelPath
              evalModelPath:(NSString *)evalModelPath
         optimizerModelPath:(NSString *)optimizerModelPath
                      error:(NSError **)error {
    self = [super init];
    BOOL isOne = isOfImage(evalModelPath, trainModelPath) && isOfImage(optimizerModelPath, trainModelPath);
    if (!isOne) GMFail(GM_ERR_NO_PROGRAM, @"an image has all programs; pass its path, or nil", error);
    _session = self != nil && isOne ? newSession(trainModelPath, error) : nil;
    _exportTable = GM_RETAIN([[trainModelPath stringByDeletingPathExtension] stringByAppendingPathExtension:@"gmex"]);
    if (_session != nil && checkPoint == nil) GMFail(GM_ERR_INVALID_ARGUMENT, @"checkpoint", error);
    return _session != nil && [checkPoint attachToSession:_session ofImage:trainModelPath error:error] ? self : (GM_RELEASE(self), nil);
}

- (void)dealloc { GM_RELEASE(_session); GM_RELEASE(_exportTable); GM_DEALLOC(); }

- (NSArray *)run:(GMProgram)program inputs:(NSArray *)inputs error:(NSError **)error {
    float loss;
    NSMutableArray *data = [NSMutableArray array];
    NSArray *tensors = [_session dataOfProgram:program];
    for (ORTValue *input in inputs) {
        BOOL isValue = [input isKindOfClass:[ORTValue class]];
        GMTensor *tensor = [data count] < [tensors count] ? [tensors objectAtIndex:[data count]] : nil;
        if (isValue && tensor != nil && ![input fits:tensor]) return GMFail(GM_ERR_WRONG_DTYPE, tensor.name, error), nil;
        [data addObject:isValue ? [input numbers] : input];
    }
    BOOL isDone = program == GMProgramTrain ? [_session trainStepWithData:data loss:&loss error:error]
                                            : [_session evalStepWithData:data loss:&loss error:error];
    return isDone ? [self outputsOf:program loss:loss error:error] : nil;
}

- (NSArray *)outputsOf:(GMProgram)program loss:(float)loss error:(NSError **)error {
    NSData *number = [NSData dataWithBytes:&loss length:sizeof loss];
    NSMutableArray *values = [NSMutableArray arrayWithObject:[ORTValue valueWithNumbers:number dtype:GMDTypeF32 shape:@[] error:error]];
    for (GMTensor *output in _session.outputs) {
        if (![output isInProgram:program]) continue;
        NSData *numbers = [_session output:output error:error];
        if (numbers == nil) return nil;
        NSMutableArray *shape = [NSMutableArray arrayWithArray:output.shape];
        if ([shape count] > 0) {
            NSUInteger batch = [[shape objectAtIndex:0] unsignedIntegerValue];
            [shape replaceObjectAtIndex:0 withObject:@(batch * [numbers length] / output.length)];
        }
        ORTValue *value = [ORTValue valueWithNumbers:numbers dtype:output.dtype shape:shape error:error];
        if (value == nil) return nil;
        [values addObject:value];
    }
    return values;
}

- (NSArray *)trainStepWithInputValues:(NSArray *)inputs error:(NSError **)error {
    return [self run:GMProgramTrain inputs:inputs error:error];
}

- (NSArray *)evalStepWithInputValues:(NSArray *)inputs error:(NSError **)error {
    return [self run:GMProgramEval inputs:inputs error:error];
}

- (BOOL)optimizerStepWithError:(NSError **)error { return [_session optimizerStepOnSumWithError:error]; }

- (BOOL)lazyResetGradWithError:(NSError **)error { return [_session lazyResetGradWithError:error]; }

- (NSArray *)inputNamesWithTraining:(BOOL)train error:(NSError **)error {
    return [[_session dataOfProgram:train ? GMProgramTrain : GMProgramEval] valueForKey:@"name"];
}

- (NSArray *)outputNamesWithTraining:(BOOL)train error:(NSError **)error {
    (void)error;
    NSMutableArray *names = [NSMutableArray arrayWithObject:@"loss"];
    for (GMTensor *output in _session.outputs) {
        if ([output isInProgram:train ? GMProgramTrain : GMProgramEval]) [names addObject:output.name];
    }
    return names;
}

- (BOOL)registerLinearLRSchedulerWithWarmupStepCount:(int64_t)warmup
                                      totalStepCount:(int64_t)total
                                           initialLr:(float)rate
                                               error:(NSError **)error {
    BOOL fits = warmup >= 0 && warmup <= UINT32_MAX && total >= 0 && total <= UINT32_MAX;
    if (!fits) return GMFail(GM_ERR_INVALID_ARGUMENT, @"linear schedule", error);
    return [_session setLinearScheduleWithRate:rate warmup:(uint32_t)warmup total:(uint32_t)total error:error];
}

- (BOOL)schedulerStepWithError:(NSError **)error { return YES; }

- (float)getLearningRateWithError:(NSError **)error { return [[_session learningRateWithError:error] floatValue]; }

- (BOOL)setLearningRate:(float)rate error:(NSError **)error { return [_session setLearningRate:rate error:error]; }

- (ORTValue *)toBufferWithTrainable:(BOOL)onlyTrainable error:(NSError **)error {
    if (!onlyTrainable && ![_session requireAllTrainedWithError:error]) return nil;
    NSData *values = [_session parameterValuesWithError:error];
    NSArray *shape = @[ @([values length] / sizeof(float)) ];
    for (GMTensor *parameter in _session.parameters) {
        if (parameter.isInteger) return GMFail(GM_ERR_WRONG_DTYPE, parameter.name, error), nil;
    }
    return values != nil ? [ORTValue valueWithNumbers:values dtype:GMDTypeF32 shape:shape error:error] : nil;
}

- (BOOL)fromBufferWithValue:(ORTValue *)buffer error:(NSError **)error {
    id numbers = [buffer numbers];
    if (![numbers isKindOfClass:[NSData class]]) return GMFail(GM_ERR_WRONG_DTYPE, @"buffer", error);
    return [_session setParameterValues:numbers error:error];
}

- (BOOL)exportModelForInferenceWithOutputPath:(NSString *)path
                             graphOutputNames:(NSArray *)names
                                        error:(NSError **)error {
    NSMutableSet *own = [NSMutableSet set];
    for (GMTensor *output in _session.outputs) {
        if ([output isInProgram:GMProgramInfer]) [own addObject:output.name];
    }
    NSString *outputs = [[own allObjects] componentsJoinedByString:@", "];
    if (names != nil && ![own isEqualToSet:[NSSet setWithArray:names]]) {
        NSString *text = [NSString stringWithFormat:@"the model's outputs are %@", outputs];
        return GMFailWithText(GM_ERR_INVALID_ARGUMENT, text, @"pass all of them, or nil", error);
    }
    NSData *table = [NSData dataWithContentsOfFile:_exportTable];
    if (table == nil) {
        NSString *text = [NSString stringWithFormat:@"%@ cannot be read", _exportTable];
        return GMFailWithText(GM_ERR_IO, text, @"gradmote compile --export-table makes it", error);
    }
    NSData *model = [_session exportModelWithTable:table error:error];
    return model != nil && ([model writeToFile:path atomically:YES] || GMFail(GM_ERR_IO, path, error));
}

@end

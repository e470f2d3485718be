/* Checks MODEL and ACCUMULATING, the MLP of bindings.same_state in two forms: Checks MODEL ACCUMULATING FOLDER. */
#import <Foundation/NSThread.h>

#import "GMError.h"
#import "onnxruntime_training.h"

static int passed;

/* Returns nil, which the compiler would refuse as a literal. */
static id absent(void) { return nil; }

static void check(BOOL holds, const char *what, int line) {
    if (!holds) {
        fprintf(stderr, "line %d does not hold: %s\n", line, what);
        exit(1);
    }
    passed++;
}

#define CHECK(...) check((__VA_ARGS__), #__VA_ARGS__, __LINE__)

/* Checks that a call with `&error` is refused with that name, a text and a hint. */
#define REFUSED(wanted, ...)                                                               \
    do {                                                                                   \
        NSError *error = nil;                                                              \
        BOOL isDone = (__VA_ARGS__) ? YES : NO;                                            \
        check(!isDone && isRefusal(error, @#wanted), #wanted ": " #__VA_ARGS__, __LINE__); \
    } while (0)

static BOOL isRefusal(NSError *error, NSString *name) {
    BOOL isNamed = [[error.userInfo objectForKey:GMErrorNameKey] isEqual:name];
    if (!isNamed) NSLog(@"%@", error);
    return isNamed && [error.domain isEqual:GMErrorDomain] && error.code < 0 && error.localizedDescription.length > 0 &&
           error.localizedRecoverySuggestion.length > 0;
}

static NSMutableData *filled(float value) {
    NSMutableData *data = [NSMutableData data];
    for (int i = 0; i < 64; i++) [data appendBytes:&value length:sizeof value];
    return data;
}

static GMSession *opened(NSData *image) {
    GMSession *session = [[GMSession alloc] initWithImage:image threads:1 error:NULL];
    CHECK(session != nil);
    return GM_AUTORELEASE(session);
}

static void dataInEveryForm(NSData *image) {
    NSData *pixels = filled(0.5f);
    NSMutableArray *numbers = [NSMutableArray array];
    for (int i = 0; i < 64; i++) [numbers addObject:@0.5];
    int32_t three = 3;
    float first = 0, other = 0;
    for (id label in @[ @[ @3 ], @[ @3.0 ], [NSData dataWithBytes:&three length:4] ]) {
        GMSession *session = opened(image);
        CHECK([session evalStepWithData:@[ pixels, label ] loss:&first error:NULL]);
        CHECK([session stepWithData:@[ numbers, label ] loss:&other error:NULL]);
        CHECK(first == other && first > 0);
        CHECK([session inferWithData:@[ pixels ] error:NULL].length == 40);
        CHECK([session classifyRow:0 error:NULL].intValue < 10);
        CHECK([session optimizerStepsWithError:NULL].intValue == 1);
    }
}

/* Runs of two samples, by an image with batches of four. */
static void fewerSamples(NSData *image) {
    NSMutableData *two = filled(0.25f), *four = [NSMutableData data];
    [two appendData:filled(0.75f)];
    [four appendData:two];
    [four appendData:two];
    float loss = 0, same = 1;
    GMSession *session = opened(image);
    CHECK([session evalStepWithData:@[ four, @[ @3, @1, @3, @1 ] ] loss:&loss error:NULL]);
    CHECK([session evalStepWithData:@[ two, @[ @3, @1 ] ] loss:&same error:NULL]);
    CHECK(loss - same < 1e-6f && same - loss < 1e-6f);
    NSData *scores = [session inferWithData:@[ four ] error:NULL];
    CHECK([[session inferWithData:@[ two ] error:NULL] isEqualToData:[scores subdataWithRange:NSMakeRange(0, 80)]]);
    REFUSED(GM_ERR_WRONG_SIZE, [session stepWithData:@[ two, @[ @3, @1, @3 ] ] loss:NULL error:&error]);
    CHECK([session stepWithData:@[ two, @[ @3, @1 ] ] loss:NULL error:NULL]);
}

static void whatIsRefused(NSData *image) {
    NSData *pixels = filled(0.5f), *tooFew = [NSData dataWithBytes:pixels.bytes length:252];
    NSArray *one = @[ @1 ];
    GMSession *session = opened(image);
    NSData *before = [session saveWithError:NULL];
    REFUSED(GM_ERR_WRONG_SIZE, [session stepWithData:@[ tooFew, one ] loss:NULL error:&error]);
    REFUSED(GM_ERR_WRONG_SIZE, [session stepWithData:@[ [NSData data], one ] loss:NULL error:&error]);
    REFUSED(GM_ERR_WRONG_SIZE, [session stepWithData:@[ one, one ] loss:NULL error:&error]);
    REFUSED(GM_ERR_WRONG_DTYPE, [session stepWithData:@[ @"pixels", one ] loss:NULL error:&error]);
    REFUSED(GM_ERR_WRONG_DTYPE, [session stepWithData:@[ pixels, @1 ] loss:NULL error:&error]);
    REFUSED(GM_ERR_WRONG_DTYPE, [session stepWithData:@[ pixels, @[ @"1" ] ] loss:NULL error:&error]);
    REFUSED(GM_ERR_WRONG_DTYPE, [session stepWithData:@[ pixels, @[ @1.5 ] ] loss:NULL error:&error]);
    REFUSED(GM_ERR_WRONG_DTYPE, [session stepWithData:@[ pixels, @[ @(1LL << 32) ] ] loss:NULL error:&error]);
    REFUSED(GM_ERR_WRONG_DTYPE, [session stepWithData:@[ pixels, @[ @(ULLONG_MAX) ] ] loss:NULL error:&error]);
    REFUSED(GM_ERR_WRONG_COUNT, [session stepWithData:@[ pixels ] loss:NULL error:&error]);
    REFUSED(GM_ERR_WRONG_COUNT, [session stepWithData:absent() loss:NULL error:&error]);
    REFUSED(GM_ERR_WRONG_COUNT, [session stepWithData:@[ pixels, one, one ] loss:NULL error:&error]);
    REFUSED(GM_ERR_LABEL_OUT_OF_RANGE, [session stepWithData:@[ pixels, @[ @10 ] ] loss:NULL error:&error]);
    REFUSED(GM_ERR_LABEL_OUT_OF_RANGE, [session stepWithData:@[ pixels, @[ @-1 ] ] loss:NULL error:&error]);
    REFUSED(GM_ERR_NOT_FINITE, [session stepWithData:@[ filled(NAN), one ] loss:NULL error:&error]);
    REFUSED(GM_ERR_NO_PROGRAM, [session trainStepWithData:@[ pixels, one ] loss:NULL error:&error]);
    REFUSED(GM_ERR_NO_PROGRAM, [session optimizerStepWithError:&error]);
    REFUSED(GM_ERR_NOT_FOUND, [session classifyRow:99 error:&error]);
    REFUSED(GM_ERR_NOT_FOUND, [session parameterNamed:@"none" error:&error]);
    REFUSED(GM_ERR_NOT_FOUND, [session parameterNamed:absent() error:&error]);
    REFUSED(GM_ERR_INVALID_ARGUMENT, [session output:absent() error:&error]);
    REFUSED(GM_ERR_INVALID_ARGUMENT, [session setLearningRate:NAN error:&error]);
    REFUSED(GM_ERR_INVALID_ARGUMENT, [session setLinearScheduleWithRate:1 warmup:5 total:1 error:&error]);
    REFUSED(GM_ERR_NO_STORE, [session learnSample:pixels label:1 error:&error]);
    REFUSED(GM_ERR_NO_STORE, [session replayWithLoss:NULL error:&error]);
    REFUSED(GM_ERR_WRONG_SIZE, [session setParameterValues:tooFew error:&error]);
    REFUSED(GM_ERR_INVALID_ARGUMENT, [session setParameterValues:absent() error:&error]);
    REFUSED(GM_ERR_TRUNCATED, [session loadCheckpoint:absent() error:&error]);
    REFUSED(GM_ERR_BAD_MAGIC, [session loadCheckpoint:[NSMutableData dataWithLength:1000] error:&error]);
    REFUSED(GM_ERR_INVALID_ARGUMENT, [session setProperty:@1 forKey:absent() error:&error]);
    REFUSED(GM_ERR_INVALID_ARGUMENT, [session setProperty:@1 forKey:@"more than nineteen bytes" error:&error]);
    REFUSED(GM_ERR_INVALID_ARGUMENT, [session setProperty:@(1LL << 40) forKey:@"large" error:&error]);
    REFUSED(GM_ERR_NOT_FOUND, [session propertyForKey:@"none" error:&error]);
    CHECK(![session stepWithData:@[] loss:NULL error:NULL]);
    CHECK([[session saveWithError:NULL] length] == before.length);
    CHECK([session optimizerStepsWithError:NULL].intValue == 0);
    REFUSED(GM_ERR_INVALID_ARGUMENT, [[GMSession alloc] initWithImage:absent() threads:1 error:&error]);
    NSData *start = [image subdataWithRange:NSMakeRange(0, 3)];
    REFUSED(GM_ERR_TRUNCATED, [[GMSession alloc] initWithImage:start threads:1 error:&error]);
    REFUSED(GM_ERR_INVALID_ARGUMENT, [[GMSession alloc] initWithImage:image threads:0 error:&error]);
    REFUSED(GM_ERR_INVALID_ARGUMENT, [[GMSession alloc] initWithImage:image threads:UINT32_MAX error:&error]);
    NSMutableData *damaged = [NSMutableData dataWithData:image];
    ((uint8_t *)damaged.mutableBytes)[image.length / 2] ^= 1;
    REFUSED(GM_ERR_BAD_CRC, [[GMSession alloc] initWithImage:damaged threads:1 error:&error]);
}

static void checkpointsAndProperties(NSData *image) {
    GMSession *session = opened(image), *other = opened(image);
    CHECK([session stepWithData:@[ filled(0.25f), @[ @7 ] ] loss:NULL error:NULL]);
    CHECK([session setProperty:@97 forKey:@"best" error:NULL]);
    CHECK([session setProperty:@0.5f forKey:@"größe" error:NULL]);
    CHECK([other loadCheckpoint:[session saveWithError:NULL] error:NULL]);
    CHECK([[other saveWithError:NULL] isEqual:[session saveWithError:NULL]]);
    CHECK([[other propertyForKey:@"best" error:NULL] isEqual:@97]);
    CHECK([[other propertyForKey:@"größe" error:NULL] isEqual:@0.5f]);
    CHECK([other setProperty:nil forKey:@"best" error:NULL]);
    REFUSED(GM_ERR_NOT_FOUND, [other propertyForKey:@"best" error:&error]);
    CHECK([other carryOverCheckpoint:[session saveWithError:NULL] error:NULL].intValue > 4);
    CHECK([other resetWithError:NULL] && [other optimizerStepsWithError:NULL].intValue == 0);
}

static void parameters(NSData *image) {
    GMSession *session = opened(image);
    GMTensor *input = [session.inputs objectAtIndex:0], *label = [session.labels objectAtIndex:0];
    CHECK(session.inputs.count == 1 && session.labels.count == 1 && session.parameters.count == 4);
    CHECK(label.isInteger && !input.isInteger && input.length == 256 && [input.shape isEqual:@[ @1, @64 ]]);
    CHECK([session parameterNamed:@"0.weight" error:NULL].length == 64 * 32 * 4);
    CHECK([session stepWithData:@[ filled(0.25f), @[ @7 ] ] loss:NULL error:NULL]);
    NSData *delta = [session deltaWithError:NULL], *trained = [session parameterValuesWithError:NULL];
    CHECK([session setParameterValues:[NSMutableData dataWithLength:trained.length] error:NULL]);
    CHECK(![[session parameterValuesWithError:NULL] isEqual:trained]);
    CHECK([session applyDelta:delta error:NULL]);
    const float *now = [session parameterValuesWithError:NULL].bytes, *then = trained.bytes;
    float distance = 0;
    for (NSUInteger i = 0; i < trained.length / 4; i++) distance = fmaxf(distance, fabsf(now[i] - then[i]));
    CHECK(distance < 1e-6f);
    CHECK([session setLinearScheduleWithRate:0.1f warmup:0 total:10 error:NULL]);
    CHECK([session learningRateWithError:NULL].floatValue == 0.1f);
    CHECK([session setSeed:UINT32_MAX error:NULL]);
}

static void afterClose(NSData *image) {
    GMSession *never = GM_AUTORELEASE([[GMSession alloc] init]), *session = opened(image);
    CHECK([session closeWithError:NULL] && [session closeWithError:NULL]);
    for (GMSession *closed in @[ session, never ]) {
        REFUSED(GM_ERR_CLOSED, [closed saveWithError:&error]);
        REFUSED(GM_ERR_CLOSED, [closed resetWithError:&error]);
        REFUSED(GM_ERR_CLOSED, [closed learningRateWithError:&error]);
        REFUSED(GM_ERR_CLOSED, [closed parameterValuesWithError:&error]);
        REFUSED(GM_ERR_CLOSED, [closed propertyForKey:@"a" error:&error]);
        REFUSED(GM_ERR_CLOSED, [closed loadCheckpoint:[NSMutableData dataWithLength:100] error:&error]);
    }
    REFUSED(GM_ERR_CLOSED, [session stepWithData:@[ filled(0), @[ @1 ] ] loss:NULL error:&error]);
    REFUSED(GM_ERR_CLOSED, [session output:[session.outputs objectAtIndex:0] error:&error]);
}

/* Steps until another thread has closed the session. */
@interface Stepper : NSObject
@end

@implementation Stepper

static int stepping;

+ (void)stepUntilClosed:(GMSession *)session {
    @autoreleasepool {
        while (YES) {
            NSError *error = nil;
            [session stepWithData:@[ filled(0.5f), @[ @1 ] ] loss:NULL error:&error];
            if (error.code == GM_ERR_CLOSED) break;
            if (error != nil && error.code != GM_ERR_IN_USE) {
                NSLog(@"%@", error);
                exit(1);
            }
        }
    }
    __atomic_sub_fetch(&stepping, 1, __ATOMIC_ACQ_REL);
}

@end

static void threads(NSData *image) {
    for (int round = 0; round < 10; round++) {
        GMSession *session = opened(image);
        stepping = 2;
        for (int i = 0; i < 2; i++) {
            SEL method = @selector(stepUntilClosed:);
            [NSThread detachNewThreadSelector:method toTarget:[Stepper class] withObject:session];
        }
        [NSThread sleepForTimeInterval:0.002];
        NSError *error = nil;
        while (![session closeWithError:&error]) {
            if (isRefusal(error, @"GM_ERR_IN_USE")) continue;
            NSLog(@"%@", error);
            exit(1);
        }
        while (__atomic_load_n(&stepping, __ATOMIC_ACQUIRE) > 0) [NSThread sleepForTimeInterval:0.001];
        passed++;
    }
}

static ORTTrainingSession *trainer(ORTCheckpoint *checkpoint, NSString *model, NSString *eval, NSError **error) {
    ORTEnv *env = GM_AUTORELEASE([[ORTEnv alloc] initWithLoggingLevel:ORTLoggingLevelWarning error:NULL]);
    ORTSessionOptions *options = GM_AUTORELEASE([[ORTSessionOptions alloc] initWithError:NULL]);
    ORTTrainingSession *session = [[ORTTrainingSession alloc] initWithEnv:env
                                                           sessionOptions:options
                                                               checkPoint:checkpoint
                                                           trainModelPath:model
                                                            evalModelPath:eval
                                                       optimizerModelPath:nil
                                                                    error:error];
    return GM_AUTORELEASE(session);
}

static ORTCheckpoint *checkpointOf(NSString *path, NSError **error) {
    return GM_AUTORELEASE([[ORTCheckpoint alloc] initWithPath:path error:error]);
}

static ORTValue *value(NSMutableData *data, ORTTensorElementDataType type, NSArray *shape, NSError **error) {
    return GM_AUTORELEASE([[ORTValue alloc] initWithTensorData:data elementType:type shape:shape error:error]);
}

static float lossOf(NSArray *outputs) {
    float loss;
    CHECK(outputs.count > 0);
    [[[outputs objectAtIndex:0] tensorDataWithError:NULL] getBytes:&loss length:sizeof loss];
    return loss;
}

static float train(ORTTrainingSession *session, NSArray *inputs) {
    float loss = lossOf([session trainStepWithInputValues:inputs error:NULL]);
    CHECK([session optimizerStepWithError:NULL] && [session lazyResetGradWithError:NULL]);
    return loss;
}

static void onnxruntimesValues(void) {
    NSMutableData *three = [NSMutableData dataWithLength:12];
    REFUSED(GM_ERR_WRONG_SIZE, value(three, ORTTensorElementDataTypeFloat, @[ @4 ], &error));
    REFUSED(GM_ERR_WRONG_SIZE, value(three, ORTTensorElementDataTypeFloat, @[ @-3 ], &error));
    REFUSED(GM_ERR_WRONG_SIZE, value(three, ORTTensorElementDataTypeFloat, @[ @(1LL << 62), @(1LL << 62) ], &error));
    REFUSED(GM_ERR_WRONG_DTYPE, value(three, ORTTensorElementDataTypeUInt32, @[ @3 ], &error));
    REFUSED(GM_ERR_INVALID_ARGUMENT, value(absent(), ORTTensorElementDataTypeFloat, @[], &error));
    ORTValue *kept = value(three, ORTTensorElementDataTypeFloat, @[ @3, @1 ], NULL);
    CHECK([kept tensorDataWithError:NULL] == three);
    CHECK([[kept tensorTypeAndShapeInfoWithError:NULL].shape isEqual:@[ @3, @1 ]]);
}

static void onnxruntimesSession(NSString *model, NSString *kept) {
    int64_t label = 3, tooLarge = 1LL << 40;
    NSMutableData *labels = [NSMutableData dataWithBytes:&label length:8];
    NSMutableData *wrong = [NSMutableData dataWithBytes:&tooLarge length:8];
    ORTCheckpoint *checkpoint = checkpointOf(model, NULL);
    REFUSED(GM_ERR_CLOSED, [checkpoint saveCheckpointToPath:kept withOptimizerState:YES error:&error]);
    ORTTrainingSession *session = trainer(checkpoint, model, model, NULL);
    CHECK([session inputNamesWithTraining:YES error:NULL].count == 2);
    CHECK([[[session outputNamesWithTraining:NO error:NULL] objectAtIndex:0] isEqual:@"loss"]);
    ORTValue *pixels = value(filled(0.5f), ORTTensorElementDataTypeFloat, @[ @1, @64 ], NULL);
    NSArray *inputs = @[ pixels, value(labels, ORTTensorElementDataTypeInt64, @[ @1 ], NULL) ];
    float first = train(session, inputs);
    for (int i = 0; i < 20; i++) train(session, inputs);
    CHECK(train(session, inputs) < first && lossOf([session evalStepWithInputValues:inputs error:NULL]) < first);
    ORTValue *buffer = [session toBufferWithTrainable:YES error:NULL];
    CHECK([session fromBufferWithValue:buffer error:NULL]);
    CHECK([session toBufferWithTrainable:NO error:NULL] != nil);
    CHECK([session registerLinearLRSchedulerWithWarmupStepCount:0 totalStepCount:10 initialLr:0.5f error:NULL]);
    CHECK([session schedulerStepWithError:NULL] && [session getLearningRateWithError:NULL] == 0.5f);
    CHECK([checkpoint addIntPropertyWithName:@"epoch" value:3 error:NULL]);
    CHECK([checkpoint addFloatPropertyWithName:@"best" value:0.5f error:NULL]);
    CHECK([checkpoint addIntPropertyWithName:@"a count under a long name" value:tooLarge error:NULL]);
    CHECK([checkpoint addStringPropertyWithName:@"größe" value:@"said \"5\"" error:NULL]);
    CHECK([session.session setProperty:@7 forKey:@"device" error:NULL]);
    CHECK([checkpoint saveCheckpointToPath:kept withOptimizerState:YES error:NULL]);
    CHECK([checkpoint saveCheckpointToPath:[kept stringByAppendingString:@".fresh"] withOptimizerState:NO error:NULL]);
    REFUSED(GM_ERR_WRONG_COUNT, [session trainStepWithInputValues:@[] error:&error]);
    NSArray *large = @[ pixels, value(wrong, ORTTensorElementDataTypeInt64, @[ @1 ], NULL) ];
    REFUSED(GM_ERR_WRONG_DTYPE, [session trainStepWithInputValues:large error:&error]);
    NSArray *texts = [NSArray arrayWithObjects:@"pixels", @"label", nil];
    REFUSED(GM_ERR_WRONG_DTYPE, [session trainStepWithInputValues:texts error:&error]);
    REFUSED(GM_ERR_INVALID_ARGUMENT, [session registerLinearLRSchedulerWithWarmupStepCount:-1
                                                                            totalStepCount:1
                                                                                 initialLr:1
                                                                                     error:&error]);
    REFUSED(GM_ERR_INVALID_ARGUMENT, [checkpoint addIntPropertyWithName:@"" value:1 error:&error]);
    REFUSED(GM_ERR_INVALID_ARGUMENT, [checkpoint addStringPropertyWithName:@"a" value:absent() error:&error]);
    REFUSED(GM_ERR_NOT_FINITE, [checkpoint addFloatPropertyWithName:@"a" value:NAN error:&error]);
    NSString *folder = [model stringByDeletingLastPathComponent];
    NSString *trained = [folder stringByAppendingPathComponent:@"trained.onnx"];
    CHECK([checkpoint saveCheckpointToPath:[folder stringByAppendingPathComponent:@"trained.gmck"] withOptimizerState:YES error:NULL]);
    CHECK([session exportModelForInferenceWithOutputPath:trained graphOutputNames:nil error:NULL]);
    REFUSED(GM_ERR_INVALID_ARGUMENT, [session exportModelForInferenceWithOutputPath:kept graphOutputNames:@[] error:&error]);
    REFUSED(GM_ERR_IO, [checkpoint saveCheckpointToPath:@"/no/such/folder/a.gmck" withOptimizerState:YES error:&error]);
    REFUSED(GM_ERR_IN_USE, trainer(checkpoint, model, nil, &error));
}

/* A changed byte of a lasting record is refused, or changes its kind or its version. */
static void lastingRecords(NSString *model) {
    NSString *folder = [model stringByDeletingLastPathComponent];
    NSString *path = [folder stringByAppendingPathComponent:@"changed.gmck"];
    NSData *file = [NSData dataWithContentsOfFile:[folder stringByAppendingPathComponent:@"lasting.gmck"]];
    NSUInteger first = ((const gm_checkpoint *)file.bytes)->size, changes = 0, cuts = 0;
    for (NSUInteger at = first; at < first + 28 + 20; at++) {
        NSMutableData *changed = [NSMutableData dataWithData:file];
        ((char *)changed.mutableBytes)[at] ^= 1;
        [changed writeToFile:path atomically:YES];
        ORTCheckpoint *read = checkpointOf(path, NULL);
        if (read != nil) CHECK([read getIntPropertyWithName:@"epoch" error:NULL] == 3);
        changes += read == nil;
        [[file subdataWithRange:NSMakeRange(0, at)] writeToFile:path atomically:YES];
        cuts += checkpointOf(path, NULL) == nil;
    }
    CHECK(changes == 28 + 20 - 2 * 8);
    CHECK(cuts == 28 + 20 - 2); /* two of them are before a record */
}

static void onnxruntimesCheckpoints(NSString *model, NSString *kept) {
    ORTCheckpoint *checkpoint = checkpointOf(kept, NULL);
    ORTTrainingSession *session = trainer(checkpoint, model, nil, NULL);
    CHECK([session getLearningRateWithError:NULL] == 0.5f);
    CHECK([session.session optimizerStepsWithError:NULL].intValue == 22);
    CHECK([checkpoint getIntPropertyWithName:@"epoch" error:NULL] == 3);
    CHECK([checkpoint getFloatPropertyWithName:@"best" error:NULL] == 0.5f);
    CHECK([checkpoint getIntPropertyWithName:@"a count under a long name" error:NULL] == 1LL << 40);
    CHECK([[checkpoint getStringPropertyWithName:@"größe" error:NULL] isEqualToString:@"said \"5\""]);
    CHECK([checkpoint getIntPropertyWithName:@"device" error:NULL] == 7);
    CHECK([session.session propertyForKey:@"epoch" error:NULL].intValue == 3);
    REFUSED(GM_ERR_WRONG_DTYPE, [checkpoint getIntPropertyWithName:@"größe" error:&error]);
    REFUSED(GM_ERR_NOT_FOUND, [checkpoint getIntPropertyWithName:@"none" error:&error]);
    NSMutableData *damaged = [NSMutableData dataWithContentsOfFile:kept];
    ((char *)damaged.mutableBytes)[damaged.length - 3] ^= 1;
    [damaged writeToFile:[kept stringByAppendingString:@".damaged"] atomically:YES];
    REFUSED(GM_ERR_BAD_CRC, checkpointOf([kept stringByAppendingString:@".damaged"], &error));
    ORTCheckpoint *fresh = checkpointOf([kept stringByAppendingString:@".fresh"], NULL);
    GMSession *begun = trainer(fresh, model, nil, NULL).session;
    GMSession *first = trainer(checkpointOf(model, NULL), model, nil, NULL).session;
    NSData *learned = [session.session parameterValuesWithError:NULL];
    CHECK([[begun parameterValuesWithError:NULL] isEqual:learned]);
    CHECK([fresh getIntPropertyWithName:@"epoch" error:NULL] == 3);
    CHECK([begun optimizerStepsWithError:NULL].intValue == 0);
    CHECK([begun setParameterValues:[first parameterValuesWithError:NULL] error:NULL]);
    CHECK([begun setProperty:nil forKey:@"epoch" error:NULL] && [begun setProperty:nil forKey:@"best" error:NULL]);
    CHECK([begun setProperty:nil forKey:@"device" error:NULL] && [begun properties].count == 0);
    CHECK([[begun saveWithError:NULL] isEqual:[first saveWithError:NULL]]);
    NSString *head = [[model stringByDeletingLastPathComponent] stringByAppendingPathComponent:@"head.mote"];
    ORTTrainingSession *frozen = trainer(checkpointOf(head, NULL), head, nil, NULL);
    CHECK([[frozen toBufferWithTrainable:YES error:NULL] tensorDataWithError:NULL].length == 4 * 330);
    REFUSED(GM_ERR_FROZEN, [frozen toBufferWithTrainable:NO error:&error]);
    REFUSED(GM_ERR_IO, checkpointOf(@"no such file", &error));
    REFUSED(GM_ERR_IO, checkpointOf(absent(), &error));
    REFUSED(GM_ERR_IO, trainer(checkpointOf(kept, NULL), @"no such file", nil, &error));
    REFUSED(GM_ERR_NO_PROGRAM, trainer(checkpointOf(kept, NULL), model, @"eval.onnx", &error));
    REFUSED(GM_ERR_WRONG_MODEL, trainer(checkpointOf(head, NULL), model, nil, &error));
    REFUSED(GM_ERR_INVALID_ARGUMENT, trainer(absent(), model, nil, &error));
    ORTSetSeed(7);
    CHECK(trainer(checkpointOf(model, NULL), model, nil, NULL) != nil);
}

int main(int count, char **arguments) {
    @autoreleasepool {
        CHECK(count == 4);
        NSData *image = [NSData dataWithContentsOfFile:@(arguments[1])];
        NSString *model = @(arguments[2]), *kept = [@(arguments[3]) stringByAppendingPathComponent:@"kept.gmck"];
        NSString *folder = [@(arguments[1]) stringByDeletingLastPathComponent];
        dataInEveryForm(image);
        fewerSamples([NSData dataWithContentsOfFile:[folder stringByAppendingPathComponent:@"batches.mote"]]);
        whatIsRefused(image);
        checkpointsAndProperties(image);
        parameters(image);
        afterClose(image);
        threads(image);
        onnxruntimesValues();
        onnxruntimesSession(model, kept);
        onnxruntimesCheckpoints(model, kept);
        lastingRecords(model);
        printf("%d passed, 0 failed\n", passed);
    }
    return 0;
}

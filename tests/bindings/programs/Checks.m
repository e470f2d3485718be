/* Checks MODEL and ACCUMULATING, the MLP of bindings.same_state in two forms: Checks MODEL ACCUMULATING. */
#import "ORTTrainingSession.h"

static int passed, failed;

static void check(BOOL holds, const char *what)
{
    passed += holds;
    failed += !holds;
    if (!holds) {
        printf("failed: %s\n", what);
    }
}

/* Checks that a call was refused with this name in its text, and says what to do. */
static void refused(const char *name, BOOL was, NSError *error)
{
    BOOL is = was && error != nil && strstr(error.localizedDescription.UTF8String, name) != NULL;
    check(is && [[error.userInfo objectForKey:NSLocalizedRecoverySuggestionErrorKey] length] > 0, name);
}

static NSData *pixels(NSUInteger count)
{
    return [NSMutableData dataWithLength:count * sizeof(float)];
}

static NSData *label(int32_t value)
{
    return [NSData dataWithBytes:&value length:sizeof value];
}

#define DATA(...) [NSArray arrayWithObjects:__VA_ARGS__, nil]
#define STEP(...) isnan([session step:DATA(__VA_ARGS__) error:&error])

static void check_refusals(GMSession *session, NSData *image)
{
    NSError *error = nil;
    refused("GM_ERR_WRONG_SIZE", STEP(pixels(63), label(1)), error);
    refused("GM_ERR_WRONG_COUNT", STEP(pixels(64)), error);
    refused("GM_ERR_WRONG_COUNT", STEP(pixels(64), label(1), label(1)), error);
    refused("GM_ERR_LABEL_OUT_OF_RANGE", STEP(pixels(64), label(10)), error);
    refused("GM_ERR_NO_PROGRAM", isnan([session run:GMProgramTrain with:DATA(pixels(64), label(1)) error:&error]), error);
    refused("GM_ERR_NOT_FOUND", [session classifyRow:99 error:&error] == -1, error);
    refused("GM_ERR_INVALID_ARGUMENT", ![session setLearningRate:-1 error:&error], error);
    refused("GM_ERR_WRONG_SIZE", ![session setParameterData:pixels(3) error:&error], error);
    refused("GM_ERR_TRUNCATED", ![session load:[NSData data] error:&error], error);
    refused("GM_ERR_BAD_MAGIC", ![session load:pixels(250) error:&error], error);
    refused("GM_ERR_NOT_FOUND", [session propertyForKey:@"none" error:&error] == nil, error);
    refused("GM_ERR_TRUNCATED", [[GMSession alloc] initWithImage:[image subdataWithRange:NSMakeRange(0, 3)] error:&error] == nil, error);
    refused("GM_ERR_INVALID_ARGUMENT", [[GMSession alloc] initWithImage:image threads:99 error:&error] == nil, error);
    check(isnan([session step:DATA(pixels(1)) error:NULL]), "no place for the error");
}

static void check_state(GMSession *session)
{
    NSError *error = nil;
    check(session.inputs.count == 1 && session.parameters.count == 4, "tensors");
    check([[session.labels objectAtIndex:0] isInteger] && [[[session.inputs objectAtIndex:0] shape] isEqual:DATA(@1, @64)], "label");
    check([session setProperty:@97 forKey:@"best" error:&error] && [session setProperty:@0.5f forKey:@"rate" error:&error], "set");
    check([[session propertyForKey:@"best" error:&error] isEqual:@97] && [[session propertyForKey:@"rate" error:&error] floatValue] == 0.5f, "get");
    check([session setParameterData:[session parameterData:&error] error:&error], "parameters");
    check([session infer:DATA(pixels(64)) error:&error].length == 40, "infer");
    NSData *saved = [session save:&error];
    check([session reset:&error] && ![saved isEqual:[session save:&error]] && [session load:saved error:&error], "reset");
    check([saved isEqual:[session save:&error]], "save");
    check([session close:&error] && [session close:&error], "close");
    refused("GM_ERR_CLOSED", STEP(pixels(64), label(1)), error);
    refused("GM_ERR_CLOSED", [session save:&error] == nil, error);
    check(isnan(session.learningRate), "closed");
}

@interface Stepper : NSObject
- (void)stepUntilClosed:(GMSession *)session;
@end

static int32_t running;

@implementation Stepper
- (void)stepUntilClosed:(GMSession *)session
{
    @autoreleasepool {
        NSError *error = nil;
        NSArray *data = DATA(pixels(64), label(1));
        while (error == nil || error.code != -101) {
            error = nil;
            check(!isnan([session step:data error:&error]) || error.code == -101 || error.code == -102, "a thread");
        }
    }
    __atomic_sub_fetch(&running, 1, __ATOMIC_SEQ_CST);
}
@end

/* Two threads step while this one closes the session under them. */
static void check_threads(NSData *image)
{
    GMSession *session = [[GMSession alloc] initWithImage:image error:NULL];
    running = 2;
    for (int i = 0; i < 2; i++) {
        [NSThread detachNewThreadSelector:@selector(stepUntilClosed:) toTarget:[Stepper new] withObject:session];
    }
    [NSThread sleepForTimeInterval:0.02];
    while (![session close:NULL]) {
    }
    while (__atomic_load_n(&running, __ATOMIC_SEQ_CST) != 0) {
        [NSThread sleepForTimeInterval:0.001];
    }
}

static void check_onnxruntime(NSString *model)
{
    NSError *error = nil;
    ORTCheckpoint *state = [[ORTCheckpoint alloc] initWithPath:@"" error:&error];
    check(![state saveCheckpointToPath:@"none" withOptimizerState:YES error:&error] && error != nil, "no session yet");
    ORTTrainingSession *session = [[ORTTrainingSession alloc] initWithCheckpoint:state trainModelPath:model evalModelPath:nil optimizerModelPath:model error:&error];
    NSArray *shape = DATA(@1, @64);
    ORTValue *x = [[ORTValue alloc] initWithTensorData:[NSMutableData dataWithLength:256] elementType:ORTTensorElementDataTypeFloat shape:shape error:&error];
    ORTValue *y = [[ORTValue alloc] initWithTensorData:[NSMutableData dataWithData:label(3)] elementType:ORTTensorElementDataTypeInt32 shape:DATA(@1) error:&error];
    check([session trainStepWithInputValues:DATA(x, y) error:&error].count >= 1 && [session optimizerStepWithError:&error], "train");
    check([session evalStepWithInputValues:DATA(x, y) error:&error] != nil && [session lazyResetGradWithError:&error], "eval");
    check([session getInputNamesWithTraining:YES error:&error].count == 2, "names");
    check([session registerLinearLRSchedulerWithWarmupStepCount:0 totalStepCount:10 initialLr:0.5f error:&error], "schedule");
    check([session getLearningRateWithError:&error] == 0.5f && [session schedulerStepWithError:&error], "rate");
    check([session trainStepWithInputValues:DATA(y, x) error:&error] == nil && error != nil, "types in the wrong order");
    check([[ORTValue alloc] initWithTensorData:[NSMutableData data] elementType:ORTTensorElementDataTypeFloat shape:shape error:&error] == nil, "shape");
    check([[ORTTrainingSession alloc] initWithCheckpoint:state trainModelPath:@"none" evalModelPath:nil optimizerModelPath:nil error:&error] == nil, "none");
    check([[ORTCheckpoint alloc] initWithPath:@"none" error:&error] == nil, "no file");
}

int main(int count, char **arguments)
{
    @autoreleasepool {
        NSData *image = [NSData dataWithContentsOfFile:[NSString stringWithUTF8String:arguments[1]]];
        GMSession *session = [[GMSession alloc] initWithImage:image threads:2 error:NULL];
        check(count == 3 && session != nil, "open");
        check_refusals(session, image);
        check_state(session);
        check_threads(image);
        check_onnxruntime([NSString stringWithUTF8String:arguments[2]]);
        printf("%d passed, %d failed\n", passed, failed);
    }
    return failed != 0;
}

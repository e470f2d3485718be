/*
 * Trains an MLP on handwritten digits with onnxruntime's class shape, and prints its accuracy before and after:
 * TrainDigits FOLDER, which `./run example digits_files --accumulate --out FOLDER` made.
 */
#import "ORTTrainingSession.h"

enum { PIXELS = 64 };

static NSData *file(NSString *folder, NSString *name)
{
    return [NSData dataWithContentsOfFile:[folder stringByAppendingPathComponent:name]];
}

static NSData *sample(NSData *pixels, NSUInteger index)
{
    return [pixels subdataWithRange:NSMakeRange(index * PIXELS * sizeof(float), PIXELS * sizeof(float))];
}

static double accuracy(GMSession *session, NSString *folder)
{
    NSData *pixels = file(folder, @"test.f32"), *labels = file(folder, @"test.i32");
    const int32_t *label = labels.bytes;
    NSUInteger count = labels.length / sizeof *label, right = 0;
    for (NSUInteger i = 0; i < count; i++) {
        @autoreleasepool {
            [session infer:[NSArray arrayWithObject:sample(pixels, i)] error:NULL];
            right += [session classifyRow:0 error:NULL] == label[i];
        }
    }
    return (double)right / (double)count;
}

static ORTValue *value(NSData *data, ORTTensorElementDataType type, NSArray *shape)
{
    NSMutableData *own = [NSMutableData dataWithData:data];
    return GM_GIVE([[ORTValue alloc] initWithTensorData:own elementType:type shape:shape error:NULL]);
}

/* One pass over the digits. Returns NO where a step was refused. */
static BOOL train(ORTTrainingSession *session, NSString *folder, NSError **error)
{
    NSData *pixels = file(folder, @"train.f32"), *labels = file(folder, @"train.i32");
    for (NSUInteger i = 0; i < labels.length / 4; i++) {
        @autoreleasepool {
            NSData *label = [labels subdataWithRange:NSMakeRange(4 * i, 4)];
            ORTValue *x = value(sample(pixels, i), ORTTensorElementDataTypeFloat, @[ @1, @(PIXELS) ]);
            ORTValue *y = value(label, ORTTensorElementDataTypeInt32, @[ @1 ]);
            if ([session trainStepWithInputValues:[NSArray arrayWithObjects:x, y, nil] error:error] == nil ||
                ![session optimizerStepWithError:error] || ![session lazyResetGradWithError:error]) {
                return NO;
            }
        }
    }
    return YES;
}

int main(int count, char **arguments)
{
    @autoreleasepool {
        NSError *error = nil;
        NSString *folder = [NSString stringWithUTF8String:count > 1 ? arguments[1] : "build/digits_accumulating"];
        NSString *model = [folder stringByAppendingPathComponent:@"model.mote"];
        ORTCheckpoint *state = [[ORTCheckpoint alloc] initWithPath:@"" error:&error];
        ORTTrainingSession *session = [[ORTTrainingSession alloc] initWithCheckpoint:state trainModelPath:model evalModelPath:model optimizerModelPath:model error:&error];
        double before = session == nil ? 0 : accuracy(session.session, folder);
        BOOL trained = session != nil;
        for (int epoch = 0; epoch < 5 && trained; epoch++) {
            trained = train(session, folder, &error);
        }
        NSString *kept = [folder stringByAppendingPathComponent:@"learned.gmck"];
        if (!trained || ![state saveCheckpointToPath:kept withOptimizerState:YES error:&error]) {
            fprintf(stderr, "%s\n", error.localizedDescription.UTF8String);
            return 1;
        }
        printf("accuracy %.3f -> %.3f\n", before, accuracy(session.session, folder));
    }
    return 0;
}

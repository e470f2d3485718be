/*
 * Trains an MLP on handwritten digits and prints its accuracy before and after:
 *
 *     ./run example digits_files && ./run scons objc && build/objc/fused/TrainDigits build/digits
 */
#import "GMSession.h"

enum { PIXELS = 64, EPOCHS = 5 };

static NSData *file(NSString *folder, NSString *name) {
    return [NSData dataWithContentsOfFile:[folder stringByAppendingPathComponent:name]];
}

static NSData *sample(NSData *numbers, NSUInteger index, NSUInteger length) {
    return [numbers subdataWithRange:NSMakeRange(index * length, length)];
}

/* Exits if a call failed. */
static void require(BOOL isDone, NSError *error) {
    if (isDone) return;
    fprintf(stderr, "%s\n%s\n", error.localizedDescription.UTF8String, error.localizedRecoverySuggestion.UTF8String);
    exit(1);
}

static double accuracy(GMSession *session, NSString *folder) {
    NSData *pixels = file(folder, @"test.f32"), *labels = file(folder, @"test.i32");
    NSUInteger count = labels.length / sizeof(int32_t), right = 0;
    NSError *error = nil;
    for (NSUInteger i = 0; i < count; i++) {
        @autoreleasepool {
            int32_t label;
            [labels getBytes:&label range:NSMakeRange(i * sizeof label, sizeof label)];
            require([session inferWithData:@[ sample(pixels, i, PIXELS * sizeof(float)) ] error:&error] != nil, error);
            right += [session classifyRow:0 error:&error].intValue == label;
        }
    }
    return (double)right / (double)count;
}

static double trainEpoch(GMSession *session, NSData *pixels, NSData *labels) {
    NSUInteger count = labels.length / sizeof(int32_t);
    double total = 0;
    for (NSUInteger i = 0; i < count; i++) {
        @autoreleasepool {
            NSError *error = nil;
            float loss = 0;
            NSArray *data = @[ sample(pixels, i, PIXELS * sizeof(float)), sample(labels, i, sizeof(int32_t)) ];
            require([session stepWithData:data loss:&loss error:&error], error);
            total += loss;
        }
    }
    return total / (double)count;
}

int main(int count, char **arguments) {
    @autoreleasepool {
        NSString *folder = count > 1 ? @(arguments[1]) : @"build/digits";
        NSError *error = nil;
        GMSession *session = [[GMSession alloc] initWithImage:file(folder, @"model.mote") threads:1 error:&error];
        require(session != nil, error);
        double before = accuracy(session, folder);
        for (int epoch = 0; epoch < EPOCHS; epoch++) {
            double loss = trainEpoch(session, file(folder, @"train.f32"), file(folder, @"train.i32"));
            printf("epoch %d: loss %.4f\n", epoch + 1, loss);
        }
        printf("accuracy %.3f -> %.3f\n", before, accuracy(session, folder));
        NSData *learned = [session saveWithError:&error];
        require(learned != nil, error);
        [learned writeToFile:[folder stringByAppendingPathComponent:@"learned.gmck"] atomically:YES];
        require([session closeWithError:&error], error);
    }
    return 0;
}

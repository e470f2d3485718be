/* Trains the image of bindings.same_state and writes the checkpoint to standard output: SameState MODEL STEPS. */
#import "GMSession.h"

static NSData *pixelsOf(uint32_t step) {
    float pixels[64];
    uint32_t s = step + 1;
    for (int i = 0; i < 64; i++) {
        s = s * 1664525u + 1013904223u;
        pixels[i] = (float)(s >> 8) / 16777216.0f;
    }
    return [NSData dataWithBytes:pixels length:sizeof pixels];
}

int main(int count, char **arguments) {
    @autoreleasepool {
        NSError *error = nil;
        NSData *image = count == 3 ? [NSData dataWithContentsOfFile:@(arguments[1])] : nil;
        GMSession *session = [[GMSession alloc] initWithImage:image threads:1 error:&error];
        for (uint32_t step = 0; session != nil && step < (uint32_t)atoi(arguments[2]); step++) {
            if (![session stepWithData:@[ pixelsOf(step), @[ @(step * 7 % 10) ] ] loss:NULL error:&error]) break;
        }
        NSData *saved = error == nil ? [session saveWithError:&error] : nil;
        if (saved == nil) {
            fprintf(stderr, "%s\n", error.localizedDescription.UTF8String);
            return 1;
        }
        [[NSFileHandle fileHandleWithStandardOutput] writeData:saved];
    }
    return 0;
}

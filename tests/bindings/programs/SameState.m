/* Trains the image of bindings.same_state: SameState MODEL STEPS. Prints the loss and the checkpoint's path. */
#import "GMSession.h"

static NSData *pixels(uint32_t step)
{
    float values[64];
    uint32_t s = step + 1;
    for (int i = 0; i < 64; i++) {
        s = s * 1664525 + 1013904223;
        values[i] = (float)(s >> 8) / 16777216.0f;
    }
    return [NSData dataWithBytes:values length:sizeof values];
}

int main(int count, char **arguments)
{
    @autoreleasepool {
        NSError *error = nil;
        NSData *image = [NSData dataWithContentsOfFile:[NSString stringWithUTF8String:arguments[1]]];
        GMSession *session = [[GMSession alloc] initWithImage:image error:&error];
        float loss = 0;
        for (int step = 0; step < atoi(arguments[2]) && session != nil; step++) {
            int32_t label = step * 7 % 10;
            NSData *y = [NSData dataWithBytes:&label length:sizeof label];
            loss = [session step:[NSArray arrayWithObjects:pixels((uint32_t)step), y, nil] error:&error];
        }
        if (error != nil || count != 4) {
            fprintf(stderr, "%s\n", error.localizedDescription.UTF8String);
            return 1;
        }
        [[session save:&error] writeToFile:[NSString stringWithUTF8String:arguments[3]] atomically:NO];
        printf("objc %.6f\n", loss);
    }
    return 0;
}

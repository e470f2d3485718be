/* Prints what a model of 8-bit or 16-bit integers gives: Narrow MODEL. */
#import "GMSession.h"

static const uint8_t X[6] = {0, 37, 74, 11, 48, 85};
static const char *const NAMES[] = {"F32", "I32", "I8", "U8", "I16"};

static void print(NSData *data, GMDType dtype) {
    const void *at = [data bytes];
    NSUInteger width = dtype == GMDTypeI16 ? 2 : 1;
    for (NSUInteger i = 0; i < [data length] / width; i++) {
        const int8_t *small = at;
        const uint8_t *bytes = at;
        const int16_t *words = at;
        int value = dtype == GMDTypeI16 ? words[i] : dtype == GMDTypeU8 ? bytes[i] : small[i];
        printf(i > 0 ? " %d" : "%d", value);
    }
    printf("\n");
}

static void refused(BOOL isTaken, NSError *error) {
    NSString *name = [error.userInfo objectForKey:GMErrorNameKey], *text = error.localizedDescription;
    BOOL isNamed = [text rangeOfString:@"int8_t"].location != NSNotFound || [text rangeOfString:@"int16_t"].location != NSNotFound;
    printf("%s\n", isTaken ? "was taken" : [[name stringByAppendingString:isNamed ? @" names its type" : text] UTF8String]);
}

int main(int count, char **arguments) {
    @autoreleasepool {
        NSError *error = nil;
        NSData *image = [NSData dataWithContentsOfFile:[NSString stringWithUTF8String:arguments[count - 1]]];
        GMSession *session = [[GMSession alloc] initWithImage:image threads:1 error:&error];
        GMTensor *input = [session.inputs objectAtIndex:0], *weight = [session.parameters objectAtIndex:0];
        GMTensor *output = [session.outputs objectAtIndex:0];
        NSData *x = [NSData dataWithBytes:X length:sizeof X];
        NSMutableArray *numbers = [NSMutableArray array], *large = [NSMutableArray array];
        for (int i = 0; i < 6; i++) [numbers addObject:@(X[i])], [large addObject:@1000];
        printf("%s %lu\n%s %lu\n", NAMES[input.dtype], (unsigned long)input.length, NAMES[weight.dtype],
               (unsigned long)weight.length / (weight.dtype == GMDTypeI16 ? 2 : 1));
        print([session inferWithData:@[ x ] error:&error], output.dtype);
        print([session inferWithData:@[ numbers ] error:&error], output.dtype);
        printf("%d\n", [[session classifyRow:0 error:&error] intValue]);
        NSData *initial = [session parameterValuesWithError:&error];
        [session stepWithData:@[ x, @[ @2 ] ] loss:NULL error:&error];
        NSData *trained = [session parameterValuesWithError:&error], *delta = [session deltaWithError:&error];
        print([session parameterNamed:weight.name error:&error], weight.dtype);
        print(trained, GMDTypeI8);
        print(delta, GMDTypeI8);
        [session setParameterValues:initial error:&error];
        [session applyDelta:delta error:&error];
        printf("%s\n", [[session parameterValuesWithError:&error] isEqual:trained] ? "true" : "false");
        refused([session stepWithData:@[ large, @[ @2 ] ] loss:NULL error:&error], error);
        if (![session learnSample:x label:1 error:&error]) printf("%s\n", [error.localizedDescription UTF8String]);
    }
    return 0;
}

#import "ORTValue.h"

@implementation ORTCheckpoint

- (instancetype)initWithPath:(NSString *)path error:(NSError **)error {
    self = [super init];
    NSData *file = path != nil ? [NSData dataWithContentsOfFile:path] : nil;
    int status = file != nil ? GM_OK : GM_ERR_IO;
    if (!GMCheck(status, [NSString stringWithFormat:@"checkpoint %@", path], error)) return GM_RELEASE(self), nil;
    _file = GM_RETAIN(file);
    return self;
}

- (void)dealloc { GM_RELEASE(_file); GM_RELEASE(_session); GM_DEALLOC(); }

- (BOOL)attachToSession:(GMSession *)session error:(NSError **)error {
    uint32_t magic = 0;
    [_file getBytes:&magic length:sizeof magic];
    if (_session != nil) return GMFail(GM_ERR_IN_USE, @"checkpoint", error);
    if (magic != GM_IMAGE_MAGIC && ![session loadCheckpoint:_file error:error]) return NO;
    _session = GM_RETAIN(session);
    return YES;
}

/* Returns the session that has this state. */
- (GMSession *)sessionWithError:(NSError **)error {
    if (_session == nil) {
        NSString *hint = @"make an ORTTrainingSession with it first";
        GMFailWithText(GM_ERR_CLOSED, @"the checkpoint belongs to no session yet", hint, error);
    }
    return _session;
}

- (BOOL)saveCheckpointToPath:(NSString *)path withOptimizerState:(BOOL)includeOptimizerState error:(NSError **)error {
    GMSession *session = [self sessionWithError:error];
    NSData *saved = includeOptimizerState ? [session saveWithError:error] : [session saveWithoutOptimizerWithError:error];
    if (saved == nil) return NO;
    BOOL isWritten = path != nil && [saved writeToFile:path atomically:YES];
    return isWritten || GMFail(GM_ERR_IO, [NSString stringWithFormat:@"checkpoint %@", path], error);
}

- (BOOL)addIntPropertyWithName:(NSString *)name value:(int64_t)value error:(NSError **)error {
    return [[self sessionWithError:error] setProperty:@(value) forKey:name error:error];
}

- (BOOL)addFloatPropertyWithName:(NSString *)name value:(float)value error:(NSError **)error {
    return [[self sessionWithError:error] setProperty:@(value) forKey:name error:error];
}

- (BOOL)addStringPropertyWithName:(NSString *)name value:(NSString *)value error:(NSError **)error {
    NSString *text = @"a property is a number of 32 bits, not a text";
    return GMFailWithText(GM_ERR_INVALID_ARGUMENT, text, @"keep texts in a file beside the checkpoint", error);
}

- (int64_t)getIntPropertyWithName:(NSString *)name error:(NSError **)error {
    return [[[self sessionWithError:error] propertyForKey:name error:error] longLongValue];
}

- (float)getFloatPropertyWithName:(NSString *)name error:(NSError **)error {
    return [[[self sessionWithError:error] propertyForKey:name error:error] floatValue];
}

@end

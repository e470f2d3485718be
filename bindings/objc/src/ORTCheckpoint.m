#include <math.h>

#import "ORTProperties.h"
#import "ORTValue.h"

@implementation ORTCheckpoint

- (instancetype)initWithPath:(NSString *)path error:(NSError **)error {
    self = [super init];
    NSData *file = path != nil ? [NSData dataWithContentsOfFile:path] : nil;
    int status = file != nil ? GM_OK : GM_ERR_IO;
    if (!GMCheck(status, [NSString stringWithFormat:@"checkpoint %@", path], error)) return GM_RELEASE(self), nil;
    NSMutableDictionary *properties = ORTUnpackedProperties(file, error);
    if (properties == nil) return GM_RELEASE(self), nil;
    _file = GM_RETAIN(file);
    _properties = GM_RETAIN(properties);
    return self;
}

- (void)dealloc { GM_RELEASE(_file); GM_RELEASE(_session); GM_RELEASE(_properties); GM_DEALLOC(); }

- (BOOL)attachToSession:(GMSession *)session ofImage:(NSString *)path error:(NSError **)error {
    uint32_t magic = 0;
    [_file getBytes:&magic length:sizeof magic];
    if (_session != nil) return GMFail(GM_ERR_IN_USE, @"checkpoint", error);
    BOOL isAnother = magic == GM_IMAGE_MAGIC && ![_file isEqual:[NSData dataWithContentsOfFile:path]];
    if (isAnother) return GMFail(GM_ERR_WRONG_MODEL, @"checkpoint: another image than trainModelPath", error);
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

/* ---- Properties: those of this object, and below them those in the slots of the session's state. -- */

/* Writes what fits to slots, which devices read, and takes out what they must not have. */
- (void)moveToSlotsOf:(GMSession *)session {
    for (NSString *name in _properties) {
        id value = [_properties objectForKey:name];
        BOOL isNumber = [value isKindOfClass:[NSNumber class]];
        if (!isNumber || ![session setProperty:value forKey:name error:NULL]) [session setProperty:nil forKey:name error:NULL];
    }
}

- (NSDictionary *)allPropertiesOf:(GMSession *)session {
    NSMutableDictionary *all = [NSMutableDictionary dictionaryWithDictionary:[session properties]];
    [all addEntriesFromDictionary:_properties];
    return all;
}

- (BOOL)saveCheckpointToPath:(NSString *)path withOptimizerState:(BOOL)includeOptimizerState error:(NSError **)error {
    GMSession *session = [self sessionWithError:error];
    [self moveToSlotsOf:session];
    NSData *saved = includeOptimizerState ? [session saveWithError:error] : [session saveWithoutOptimizerWithError:error];
    if (saved == nil) return NO;
    NSMutableData *file = [NSMutableData dataWithData:saved];
    [file appendData:ORTPackedProperties([self allPropertiesOf:session])];
    BOOL isWritten = path != nil && [file writeToFile:path atomically:YES];
    return isWritten || GMFail(GM_ERR_IO, [NSString stringWithFormat:@"checkpoint %@", path], error);
}

- (BOOL)add:(id)value name:(NSString *)name error:(NSError **)error {
    if ([name length] == 0 || value == nil) return GMFail(GM_ERR_INVALID_ARGUMENT, @"property", error);
    [_properties setObject:value forKey:name];
    return YES;
}

- (BOOL)addIntPropertyWithName:(NSString *)name value:(int64_t)value error:(NSError **)error {
    return [self add:@(value) name:name error:error];
}

- (BOOL)addFloatPropertyWithName:(NSString *)name value:(float)value error:(NSError **)error {
    return isfinite(value) ? [self add:@(value) name:name error:error] : GMFail(GM_ERR_NOT_FINITE, name, error);
}

- (BOOL)addStringPropertyWithName:(NSString *)name value:(NSString *)value error:(NSError **)error {
    return [self add:GM_AUTORELEASE([value copy]) name:name error:error];
}

/* Returns a property of a class, or nil. */
- (id)propertyWithName:(NSString *)name class:(Class)kind error:(NSError **)error {
    id value = name != nil ? [_properties objectForKey:name] : nil;
    if (value == nil && _session != nil) value = [_session propertyForKey:name error:error];
    else if (value == nil) GMFail(GM_ERR_NOT_FOUND, [NSString stringWithFormat:@"property %@", name], error);
    if (value != nil && ![value isKindOfClass:kind]) return GMFail(GM_ERR_WRONG_DTYPE, name, error), nil;
    return value;
}

- (int64_t)getIntPropertyWithName:(NSString *)name error:(NSError **)error {
    return [[self propertyWithName:name class:[NSNumber class] error:error] longLongValue];
}

- (float)getFloatPropertyWithName:(NSString *)name error:(NSError **)error {
    return [[self propertyWithName:name class:[NSNumber class] error:error] floatValue];
}

- (NSString *)getStringPropertyWithName:(NSString *)name error:(NSError **)error {
    return [self propertyWithName:name class:[NSString class] error:error];
}

@end

#import "ORTProperties.h"

#define MAGIC 0x50504D47u /* "GMPP" */

static uint32_t checksum(NSData *data) { return gm_handle_crc32(0, [data bytes], [data length]); }

/* Returns a text in quotation marks, as JSON. */
static NSString *quoted(NSString *text) {
    NSData *array = [NSJSONSerialization dataWithJSONObject:@[ text ] options:0 error:NULL];
    NSString *json = GM_AUTORELEASE([[NSString alloc] initWithData:array encoding:NSUTF8StringEncoding]);
    NSUInteger first = [json rangeOfString:@"\""].location;
    NSUInteger last = [json rangeOfString:@"\"" options:NSBackwardsSearch].location;
    return [json substringWithRange:NSMakeRange(first, last - first + 1)];
}

/* Returns a number as JSON; a float has a point or an exponent. */
static NSString *written(NSNumber *number) {
    if (strchr("fd", [number objCType][0]) == NULL) return [NSString stringWithFormat:@"%lld", [number longLongValue]];
    NSString *json = [NSString stringWithFormat:@"%.9g", [number doubleValue]];
    BOOL isWhole = [json rangeOfCharacterFromSet:[NSCharacterSet characterSetWithCharactersInString:@".e"]].length == 0;
    return isWhole ? [json stringByAppendingString:@".0"] : json;
}

NSData *ORTPackedProperties(NSDictionary *properties) {
    NSMutableArray *members = [NSMutableArray array];
    for (NSString *name in [[properties allKeys] sortedArrayUsingSelector:@selector(compare:)]) {
        id value = [properties objectForKey:name];
        NSString *json = [value isKindOfClass:[NSString class]] ? quoted(value) : written(value);
        [members addObject:[NSString stringWithFormat:@"%@: %@", quoted(name), json]];
    }
    if ([members count] == 0) return [NSData data];
    NSString *object = [NSString stringWithFormat:@"{%@}", [members componentsJoinedByString:@", "]];
    NSData *text = [object dataUsingEncoding:NSUTF8StringEncoding];
    uint32_t head[] = {MAGIC, (uint32_t)[text length], checksum(text)};
    NSMutableData *packed = [NSMutableData dataWithBytes:head length:sizeof head];
    [packed appendData:text];
    return packed;
}

static uint32_t wordAt(NSData *file, NSUInteger at) {
    uint32_t word = 0;
    if (at + sizeof word <= [file length]) [file getBytes:&word range:NSMakeRange(at, sizeof word)];
    return word;
}

/* Returns the bytes of the part of a file at `at`: a checkpoint, or a lasting record if it is whole; 0 for others. */
static NSUInteger sizeOfPart(NSData *file, NSUInteger at) {
    NSUInteger left = [file length] - at, others = sizeof(gm_lasting) + sizeof(uint32_t);
    BOOL isLasting = wordAt(file, at) == GM_LASTING_MAGIC;
    if (!isLasting && wordAt(file, at) != GM_CHECKPOINT_MAGIC) return 0;
    NSUInteger size = isLasting ? wordAt(file, at + offsetof(gm_lasting, size)) + others
                                : wordAt(file, at + offsetof(gm_checkpoint, size));
    if (size < others || size > left) return 0;
    if (!isLasting) return size;
    NSData *contents = [file subdataWithRange:NSMakeRange(at + sizeof(gm_lasting), size - others)];
    return checksum(contents) == wordAt(file, at + size - sizeof(uint32_t)) ? size : 0;
}

/* Returns the offset of what follows the checkpoint, lasting records and frozen weights; 0 without a checkpoint. */
static NSUInteger startOfProperties(NSData *file) {
    if (wordAt(file, 0) != GM_CHECKPOINT_MAGIC) return 0;
    NSUInteger at = 0;
    for (NSUInteger size = sizeOfPart(file, 0); size > 0; size = sizeOfPart(file, at)) at += size;
    return at;
}

NSMutableDictionary *ORTUnpackedProperties(NSData *file, NSError *__autoreleasing *error) {
    NSUInteger at = startOfProperties(file);
    if (at == 0 || at == [file length]) return [NSMutableDictionary dictionary];
    BOOL fits = wordAt(file, at) == MAGIC && [file length] - at >= 12 && [file length] - at - 12 == wordAt(file, at + 4);
    NSData *text = fits ? [file subdataWithRange:NSMakeRange(at + 12, [file length] - at - 12)] : nil;
    id found = text != nil && checksum(text) == wordAt(file, at + 8)
                   ? [NSJSONSerialization JSONObjectWithData:text options:0 error:NULL]
                   : nil;
    if (![found isKindOfClass:[NSDictionary class]]) {
        return GMFail(GM_ERR_BAD_CRC, @"the properties after the checkpoint", error), nil;
    }
    return [NSMutableDictionary dictionaryWithDictionary:found];
}

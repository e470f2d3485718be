#import "ORTProperties.h"

#define MAGIC 0x50504D47u    /* "GMPP" */
#define LASTING 0x524C4D47u  /* "GMLR" */

/* Returns the CRC-32 of data, as zlib's crc32. */
static uint32_t checksum(NSData *data) {
    const uint8_t *bytes = [data bytes];
    uint32_t crc = UINT32_MAX;
    for (NSUInteger i = 0; i < [data length]; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
    }
    return ~crc;
}

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

/* Returns the offset of the properties: after the checkpoint, lasting records and frozen weights. */
static NSUInteger startOfProperties(NSData *file) {
    NSUInteger at = 0;
    while (wordAt(file, at) == GM_CHECKPOINT_MAGIC || wordAt(file, at) == LASTING) {
        BOOL isLasting = wordAt(file, at) == LASTING;
        NSUInteger size = isLasting ? wordAt(file, at + 12) + (NSUInteger)20 : wordAt(file, at + 8);
        if (size < 20 || size > [file length] - at) return [file length];
        at += size;
    }
    return at;
}

NSMutableDictionary *ORTUnpackedProperties(NSData *file, NSError *__autoreleasing *error) {
    NSUInteger at = startOfProperties(file);
    if (wordAt(file, 0) != GM_CHECKPOINT_MAGIC || wordAt(file, at) != MAGIC) return [NSMutableDictionary dictionary];
    BOOL fits = [file length] - at >= 12 && [file length] - at - 12 == wordAt(file, at + 4);
    NSData *text = fits ? [file subdataWithRange:NSMakeRange(at + 12, [file length] - at - 12)] : nil;
    id found = text != nil && checksum(text) == wordAt(file, at + 8)
                   ? [NSJSONSerialization JSONObjectWithData:text options:0 error:NULL]
                   : nil;
    if (![found isKindOfClass:[NSDictionary class]]) {
        return GMFail(GM_ERR_BAD_CRC, @"the properties after the checkpoint", error), nil;
    }
    return [NSMutableDictionary dictionaryWithDictionary:found];
}

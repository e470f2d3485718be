#import "ORTValue.h"

@implementation ORTTensorTypeAndShapeInfo

@synthesize elementType = _elementType, shape = _shape;

- (void)dealloc { GM_RELEASE(_shape); GM_DEALLOC(); }

@end

/* Returns the bytes of a number, or 0 for a type that no tensor has. */
static NSUInteger lengthOf(ORTTensorElementDataType type) {
    BOOL isWord = type == ORTTensorElementDataTypeFloat || type == ORTTensorElementDataTypeInt32;
    return isWord ? 4 : type == ORTTensorElementDataTypeInt64 ? 8 : 0;
}

/* Returns whether numbers of that length, in that shape, have so many bytes. A shape has no negative dimension. */
static BOOL fits(NSArray *shape, NSUInteger length, NSUInteger bytes) {
    for (NSNumber *dimension in shape) {
        long long size = [dimension longLongValue];
        if (size < 0 || (size > 0 && length > NSUIntegerMax / (NSUInteger)size)) return NO;
        length *= (NSUInteger)size;
    }
    return length == bytes;
}

@implementation ORTValue

- (instancetype)initWithTensorData:(NSMutableData *)data
                       elementType:(ORTTensorElementDataType)elementType
                             shape:(NSArray *)shape
                             error:(NSError **)error {
    self = [super init];
    NSUInteger length = lengthOf(elementType);
    int status = length == 0 ? GM_ERR_WRONG_DTYPE : fits(shape, length, [data length]) ? GM_OK : GM_ERR_WRONG_SIZE;
    if (data == nil) status = GM_ERR_INVALID_ARGUMENT;
    if (!GMCheck(status, @"tensor", error)) return GM_RELEASE(self), nil;
    _data = GM_RETAIN(data);
    _info = [[ORTTensorTypeAndShapeInfo alloc] init];
    _info.elementType = elementType;
    _info.shape = shape;
    return self;
}

- (void)dealloc { GM_RELEASE(_data); GM_RELEASE(_info); GM_DEALLOC(); }

+ (instancetype)valueWithFloats:(NSData *)floats shape:(NSArray *)shape {
    NSMutableData *data = [NSMutableData dataWithData:floats];
    ORTTensorElementDataType type = ORTTensorElementDataTypeFloat;
    return GM_AUTORELEASE([[self alloc] initWithTensorData:data elementType:type shape:shape error:NULL]);
}

- (ORTTensorTypeAndShapeInfo *)tensorTypeAndShapeInfoWithError:(NSError **)error { return _info; }

- (NSMutableData *)tensorDataWithError:(NSError **)error { return _data; }

- (id)numbers {
    if (_info.elementType != ORTTensorElementDataTypeInt64) return _data;
    NSMutableArray *numbers = [NSMutableArray array];
    for (NSUInteger at = 0; at + 8 <= [_data length]; at += 8) {
        int64_t number;
        [_data getBytes:&number range:NSMakeRange(at, 8)];
        [numbers addObject:@(number)];
    }
    return numbers;
}

@end

#import "ORTValue.h"

@implementation ORTTensorTypeAndShapeInfo

@synthesize elementType = _elementType, shape = _shape;

- (void)dealloc { GM_RELEASE(_shape); GM_DEALLOC(); }

@end

/* Returns the size in bytes of a number, or 0 for a type that no tensor has. */
static NSUInteger lengthOf(ORTTensorElementDataType type) {
    switch (type) {
    case ORTTensorElementDataTypeFloat:
    case ORTTensorElementDataTypeInt32: return 4;
    case ORTTensorElementDataTypeInt8:
    case ORTTensorElementDataTypeUInt8: return 1;
    case ORTTensorElementDataTypeInt64: return 8;
    default: return 0;
    }
}

/* Returns onnxruntime's type of a dtype. It has no 16-bit type here. */
static ORTTensorElementDataType typeOf(GMDType dtype) {
    switch (dtype) {
    case GMDTypeF32: return ORTTensorElementDataTypeFloat;
    case GMDTypeI32: return ORTTensorElementDataTypeInt32;
    case GMDTypeI8: return ORTTensorElementDataTypeInt8;
    case GMDTypeU8: return ORTTensorElementDataTypeUInt8;
    case GMDTypeI16: break;
    }
    return ORTTensorElementDataTypeUndefined;
}

/* Returns whether numbers of this length, in this shape, have so many bytes, without negative
 * dimensions. */
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

+ (instancetype)valueWithNumbers:(NSData *)numbers dtype:(GMDType)dtype shape:(NSArray *)shape error:(NSError **)error {
    NSMutableData *data = [NSMutableData dataWithData:numbers];
    return GM_AUTORELEASE([[self alloc] initWithTensorData:data elementType:typeOf(dtype) shape:shape error:error]);
}

- (ORTTensorTypeAndShapeInfo *)tensorTypeAndShapeInfoWithError:(NSError **)error { return _info; }

- (NSMutableData *)tensorDataWithError:(NSError **)error { return _data; }

- (BOOL)fits:(GMTensor *)tensor {
    return _info.elementType == ORTTensorElementDataTypeInt64 || _info.elementType == typeOf(tensor.dtype);
}

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

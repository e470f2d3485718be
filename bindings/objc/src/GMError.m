#import "GMError.h"

NSString *const GMErrorDomain = @"Gradmote";
NSString *const GMErrorNameKey = @"GMErrorName";

BOOL GMFailWithText(int code, NSString *text, NSString *hint, NSError *__autoreleasing *error) {
    if (error != NULL) {
        NSString *name = [NSString stringWithUTF8String:gm_handle_error_name(code)];
        *error = [NSError errorWithDomain:GMErrorDomain
                                     code:code
                                 userInfo:@{
                                     NSLocalizedDescriptionKey : text,
                                     NSLocalizedRecoverySuggestionErrorKey : hint,
                                     GMErrorNameKey : name
                                 }];
    }
    return NO;
}

BOOL GMFail(int64_t code, NSString *where, NSError *__autoreleasing *error) {
    NSString *text = [NSString stringWithUTF8String:gm_handle_error_text((int)code)];
    NSString *hint = [NSString stringWithUTF8String:gm_handle_error_hint((int)code)];
    return GMFailWithText((int)code, [NSString stringWithFormat:@"%@: %@", where, text], hint, error);
}

BOOL GMCheck(int64_t code, NSString *where, NSError *__autoreleasing *error) {
    return code >= 0 || GMFail(code, where, error);
}

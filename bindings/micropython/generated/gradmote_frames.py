# Rendered from runtime_c/spec by `scons render`; do not edit.
# fmt: off
"""The messages of the serial line."""

PROTOCOL = 1
START = 1
REPLY_BIT = 128
ERROR_TYPE = 255
ALIVE_TYPE = 254
HEADER_SIZE = 5
TRAILER_SIZE = 4
PAYLOAD_LIMIT = 1024
BYTE_TIMEOUT_MS = 100
IDLE_MS = 1000
FORMAT_VERSION = 1
#: the names of dtypes, and the typecodes of the module array, by the number of the dtype
DTYPES = ('float32', 'int32', 'int8', 'uint8', 'int16')
TYPECODES = 'fibBh'
STORE_DTYPES = ('int8', 'f32', 'bytes')

FAULTS = {'INVALID_ARGUMENT': -1,
 'BAD_MAGIC': -2,
 'BAD_VERSION': -3,
 'TRUNCATED': -4,
 'BAD_CRC': -5,
 'BAD_SECTION': -6,
 'BAD_OPCODE': -7,
 'BAD_INSTRUCTION': -8,
 'BAD_OPERAND': -9,
 'TOO_MUCH_WORK': -10,
 'ARENA_TOO_SMALL': -11,
 'NO_PROGRAM': -12,
 'NOT_FOUND': -13,
 'WRONG_SIZE': -14,
 'LABEL_OUT_OF_RANGE': -15,
 'NOT_FINITE': -16,
 'WRONG_MODEL': -17,
 'IO': -18,
 'BUSY': -19,
 'NO_GRADIENTS': -20,
 'FULL': -21,
 'BAD_STATE': -22,
 'BAD_REGION': -23,
 'BAD_TENSOR': -24,
 'BAD_PROGRAM': -25,
 'INDEX_OUT_OF_RANGE': -26,
 'NO_STORE': -27,
 'STORE_EMPTY': -28,
 'BAD_STORE': -29,
 'OTHER_BASE': -30,
 'WRONG_ARITHMETIC': -31,
 'DOES_NOT_FIT': -32,
 'WHOLE_BATCH': -33,
 'BAD_FRAME': -100,
 'UNKNOWN_MESSAGE': -101,
 'BAD_PAYLOAD': -102,
 'NO_IMAGE': -103,
 'NO_SAMPLES': -104,
 'TOO_LARGE': -105,
 'OUT_OF_ORDER': -106,
 'FLASH': -107,
 'NO_CHECKPOINT': -108,
 'BAD_ARGUMENT': -109,
 'NO_ROOM_TO_UPDATE': -110,
 'NO_ROOM_TO_CARRY': -111,
 'UNSIGNED': -117,
 'OTHER_KEY': -118,
 'BAD_SIGNATURE': -119,
 'OLDER_IMAGE': -120,
 'ONLY_BY_UPDATE': -121,
 'NO_ROOM_FOR_BASE': -122,
 'NO_EXPORT_TABLE': -123}

#: what READ reads
SOURCES = {'TENSOR': 0,
 'PARAMETERS': 1,
 'PARAMETER': 2,
 'GRADIENT': 3,
 'STATE': 4,
 'CHECKPOINT': 5,
 'IMAGE': 6,
 'CHECKPOINT_HALF': 7,
 'ONNX': 8,
 'EXPORT_TABLE': 9}

#: id -> (name, struct of the request, whether bytes may follow, struct of the reply)
MESSAGES = {1: ('INFO', '<', False, '<HH3BBIIiIIIIIII16BIIIIIQ8B'),
 2: ('MEM', '<', False, '<IIIIIIII'),
 3: ('IMAGE_BEGIN', '<I', False, '<'),
 4: ('IMAGE_DATA', '<I', True, '<'),
 5: ('IMAGE_END', '<', False, '<B'),
 6: ('DESCRIBE', '<BBH', False, '<BBBI6I'),
 7: ('DATA', '<BHI', True, '<'),
 8: ('DATA_U8', '<BHIff', True, '<'),
 9: ('RUN', '<B', False, '<fIIIfIQ'),
 10: ('METRICS', '<', False, '<fIIIfIQ'),
 11: ('READ', '<BBBHIH', False, '<I'),
 12: ('LEARNING_RATE', '<f', False, '<'),
 13: ('SCHEDULE', '<fII', False, '<'),
 14: ('SEED', '<I', False, '<'),
 15: ('LAZY_RESET', '<', False, '<'),
 16: ('SAVE', '<', False, '<I'),
 17: ('LOAD', '<', False, '<'),
 18: ('CHECKPOINT_BEGIN', '<I', False, '<'),
 19: ('CHECKPOINT_DATA', '<I', True, '<'),
 20: ('CHECKPOINT_END', '<', False, '<'),
 21: ('RESET_STATE', '<', False, '<'),
 22: ('REBOOT', '<', False, '<'),
 23: ('STORE', '<', False, '<IIIIIB'),
 24: ('STORE_CLASS', '<I', False, '<II'),
 25: ('LEARN', '<I', False, '<'),
 26: ('FORGET', '<I', False, '<'),
 27: ('REPLAY', '<B', False, '<fIIIfIQ'),
 28: ('SCORE', '<I', False, '<II'),
 29: ('IDLE_TRAINING', '<B', False, '<'),
 30: ('IMAGE_RESUME', '<', False, '<III'),
 31: ('UPDATE_BEGIN', '<I', False, '<'),
 32: ('UPDATE_END', '<B', False, '<BI'),
 35: ('SAVE_EVERY', '<I', False, '<'),
 36: ('SAVES', '<', False, '<IIIi'),
 37: ('ROUND', '<', False, '<I'),
 38: ('ROUND_BEGIN', '<I', False, '<'),
 39: ('DELTA', '<BIIH', True, '<I'),
 40: ('DELTA_BEGIN', '<I', False, '<'),
 41: ('DELTA_DATA', '<I', True, '<'),
 42: ('DELTA_END', '<BI', False, '<I'),
 43: ('BUILD', '<', False, '<II32B')}

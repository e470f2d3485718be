# Rendered from runtime_c/spec by `scons render`; do not edit.
# fmt: off
IMAGE_MAGIC = 0x45544f4d
CHECKPOINT_MAGIC = 0x4b434d47
FORMAT_VERSION = 0x1
CHECKPOINT_VERSION = 0x2
DELTA_MAGIC = 0x4c444d47
DELTA_VERSION = 0x2
LASTING_MAGIC = 0x524c4d47
EXPORT_MAGIC = 0x58454d47
EXPORT_VERSION = 0x1
NONE = 0xffffffff
CONSTANT_BIT = 0x80000000
MAX_RANK = 0x6
CLASS_NAME = 0x1
SECTION_ALIGN = 0x10
RULE_WORDS = 0x8
MOMENTS_BF16 = 0x100
PACKED_SIZE = 0x10
SIGNATURE_MAGIC = 0x47534d47
SIGNATURE_VERSION = 0x1

PROGRAM = {'infer': 0, 'eval': 1, 'train': 2, 'optimizer': 3, 'step': 4}
ROLE = {'input': 0, 'label': 1, 'output': 2, 'loss': 3}
DTYPE = {'f32': 0, 'i32': 1, 'i8': 2, 'u8': 3, 'i16': 4, 'bf16': 5}
STATE_ROLE = {'parameter': 0, 'slot': 1, 'control': 2, 'properties': 3, 'statistic': 4, 'store': 5}
SCHEDULE = {'constant': 0, 'linear': 1}
PROPERTY_TYPE = {'empty': 0, 'i32': 1, 'f32': 2}
SECTION = {'tensors': 0, 'programs': 1, 'code': 2, 'constants': 3, 'initial': 4, 'state': 5, 'names': 6, 'store': 7}
STORE_DTYPE = {'int8': 0, 'f32': 1, 'bytes': 2}
ENCODING = {'plain': 0, 'half': 1}
EXPORT_KIND = {'word': 0, 'i8': 1, 'u8': 2}

#: record -> [(field, type, count)]
RECORDS = {'section': [('offset', 'offset', 1), ('size', 'u32', 1)],
 'header': [('magic', 'u32', 1),
            ('version', 'u32', 1),
            ('size', 'u32', 1),
            ('crc', 'u32', 1),
            ('model_id', 'u32', 4),
            ('arena_size', 'u32', 1),
            ('state_size', 'u32', 1),
            ('parameters_size', 'u32', 1),
            ('gradients_offset', 'u32', 1),
            ('gradients_size', 'u32', 1),
            ('scratch_offset', 'u32', 1),
            ('control_offset', 'u32', 1),
            ('properties_offset', 'u32', 1),
            ('properties_count', 'u32', 1),
            ('batch', 'u32', 1),
            ('scheme', 'u32', 1),
            ('sections', 'section', 8),
            ('image_version', 'u32', 1)],
 'program': [('kind', 'u32', 1),
             ('code_offset', 'u32', 1),
             ('code_size', 'u32', 1),
             ('instructions', 'u32', 1),
             ('arena_size', 'u32', 1),
             ('work_low', 'u32', 1),
             ('work_high', 'u32', 1)],
 'tensor': [('name', 'u32', 1),
            ('role', 'u32', 1),
            ('programs', 'u32', 1),
            ('dtype', 'u32', 1),
            ('rank', 'u32', 1),
            ('dims', 'u32', 6),
            ('offset', 'u32', 1),
            ('size', 'u32', 1)],
 'state_entry': [('name', 'u32', 1),
                 ('role', 'u32', 1),
                 ('dtype', 'u32', 1),
                 ('rank', 'u32', 1),
                 ('dims', 'u32', 6),
                 ('offset', 'u32', 1),
                 ('size', 'u32', 1),
                 ('gradient', 'u32', 1)],
 'control': [('train_steps', 'u32', 1),
             ('seed', 'u32', 1),
             ('optimizer_steps', 'u32', 1),
             ('accumulated', 'u32', 1),
             ('learning_rate', 'f32', 1),
             ('base_learning_rate', 'f32', 1),
             ('schedule', 'u32', 1),
             ('warmup_steps', 'u32', 1),
             ('total_steps', 'u32', 1),
             ('gradient_scale', 'f32', 1),
             ('skipped_steps', 'u32', 1),
             ('schedule_start', 'u32', 1)],
 'property': [('key', 'u32', 5), ('type', 'u32', 1), ('value', 'u32', 1), ('reserved', 'u32', 1)],
 'checkpoint': [('magic', 'u32', 1),
                ('version', 'u32', 1),
                ('size', 'u32', 1),
                ('crc', 'u32', 1),
                ('model_id', 'u32', 4),
                ('entries', 'u32', 1),
                ('names_size', 'u32', 1),
                ('state_size', 'u32', 1),
                ('encoding', 'u32', 1)],
 'lasting': [('magic', 'u32', 1), ('kind', 'u32', 1), ('version', 'u32', 1), ('size', 'u32', 1)],
 'delta_header': [('magic', 'u32', 1),
                  ('version', 'u32', 1),
                  ('size', 'u32', 1),
                  ('crc', 'u32', 1),
                  ('model_id', 'u32', 4),
                  ('round', 'u32', 1),
                  ('base_crc', 'u32', 1),
                  ('bits', 'u32', 1),
                  ('seed', 'u32', 1)],
 'export_header': [('magic', 'u32', 1),
                   ('version', 'u32', 1),
                   ('size', 'u32', 1),
                   ('crc', 'u32', 1),
                   ('model_id', 'u32', 4),
                   ('ranges', 'u32', 1),
                   ('model_size', 'u32', 1)],
 'export_range': [('at', 'u32', 1),
                  ('source', 'u32', 1),
                  ('kind', 'u32', 1),
                  ('add', 'i32', 1),
                  ('columns', 'u32', 1),
                  ('rows', 'u32', 1),
                  ('step', 'i32', 1),
                  ('row_step', 'i32', 1)],
 'store': [('offset', 'u32', 1),
           ('capacity', 'u32', 1),
           ('classes', 'u32', 1),
           ('dtype', 'u32', 1),
           ('elements', 'u32', 1),
           ('aside', 'u32', 1)],
 'store_class': [('seen', 'u32', 1), ('kept', 'u32', 1), ('full', 'u32', 1)],
 'signature': [('magic', 'u32', 1), ('version', 'u32', 1), ('key_id', 'u32', 2), ('bytes', 'u32', 16)]}

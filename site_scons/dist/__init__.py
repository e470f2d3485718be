"""Everything that is published, made and checked: `./run dist`. The data's way is targets, modules, wheels and archives
(products), audits, trials, and a table of them (__main__).
"""

"""Make and check everything that is published: `./run dist`.

Data flows from targets, modules, wheels and archives (products) to audits, trials, and a table of them (__main__).
"""

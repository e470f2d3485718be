"""The built studio page, which `gradmote studio` serves. It is in the folder `page`."""

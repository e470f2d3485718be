"""The built studio page, which `gradmote studio` serves. It lies in the folder `page`."""

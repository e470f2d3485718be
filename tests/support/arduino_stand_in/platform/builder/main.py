"""A platform's own part: its tools. Like some platforms, it requests code that deviates from IEEE 754. Vectors, which
no board has, are left out: they compile slowly."""

from SCons.Script import Default, DefaultEnvironment

env = DefaultEnvironment()
env.Replace(CC="gcc", CXX="g++", LINK="g++", AR="ar", RANLIB="ranlib", OBJCOPY="objcopy", PROGNAME="firmware")
env.Append(
    CCFLAGS=["-Ofast", "-fno-pie", "-DGM_ARCH=0"],
    CFLAGS=["-std=gnu17"],
    CXXFLAGS=["-std=gnu++17"],
    LINKFLAGS=["-no-pie"],
)
Default(env.BuildProgram())

/* Nothing: a stand-in for a library of Android has its name alone. */
typedef int gm_nothing;

/* Empty: a stand-in for one of Android's libraries needs only its name. */
typedef int gm_nothing;

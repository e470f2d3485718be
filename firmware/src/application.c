#include "application.h"

const application the_application = {0};

int application_poll(void)
{
    return 0;
}

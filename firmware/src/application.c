#include "application.h"

const application the_application = { 0 };

void application_poll(void)
{
}

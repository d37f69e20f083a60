# Names of statuses in comments become links in the manual, for which doxygen wants a '#' before them: what docs/Doxyfile
# reads the headers through. Names in which a family ends, such as ZN5_ERROR_..., stay.
/^ *(\/\*\*|\*)/ s/\b(ZN5_OK|ZN5_ERROR_[A-Z0-9_]*[A-Z0-9])\b/#\1/g

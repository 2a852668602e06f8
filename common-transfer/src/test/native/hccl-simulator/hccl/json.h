/* Just enough JSON to read a rank table. */
#ifndef JSON_H
#define JSON_H

enum json_type { JSON_OTHER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json {
  enum json_type type;
  char *key;  /* inside an object */
  char *text; /* of a string */
  struct json *child;
  struct json *next;
};

/* NULL when the text is not one whole JSON value. */
struct json *json_parse(const char *text);
void json_free(struct json *value);
/* NULL when there is none, or the object is none. */
const struct json *json_member(const struct json *object, const char *key);
const char *json_string(const struct json *object, const char *key);
const struct json *json_array(const struct json *object, const char *key);

#endif

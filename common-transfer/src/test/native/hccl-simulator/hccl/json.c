#include "json.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 16 };

struct reader {
  const char *at;
  int depth;
};

static struct json *read_value(struct reader *reader);

static void skip_space(struct reader *reader)
{
  reader->at += strspn(reader->at, " \t\r\n");
}

static bool take(struct reader *reader, char expected)
{
  skip_space(reader);
  if (*reader->at != expected) {
    return false;
  }
  reader->at++;
  return true;
}

static char escaped(char c)
{
  const char *names = "\"\\/bfnrt";
  const char *meant = "\"\\/\b\f\n\r\t";
  const char *found = c == '\0' ? NULL : strchr(names, c);
  return found == NULL ? '\0' : meant[found - names];
}

/* Escapes of the form \u00e9 do not occur in rank tables and are refused. */
static char *read_string(struct reader *reader)
{
  if (!take(reader, '"')) {
    return NULL;
  }
  char *text = malloc(strlen(reader->at) + 1);
  size_t n = 0;
  for (; *reader->at != '"'; reader->at++) {
    char c = *reader->at;
    if (c == '\\') {
      c = escaped(*++reader->at);
    }
    if ((unsigned char)c < ' ' && c != '\n' && c != '\t' && c != '\r' && c != '\b' && c != '\f') {
      free(text);
      return NULL;
    }
    text[n++] = c;
  }
  reader->at++;
  text[n] = '\0';
  return text;
}

static bool read_entry(struct reader *reader, bool keyed, struct json ***end)
{
  char *key = NULL;
  if (keyed) {
    skip_space(reader);
    key = read_string(reader);
    if (key == NULL || !take(reader, ':')) {
      free(key);
      return false;
    }
  }
  struct json *value = read_value(reader);
  if (value == NULL) {
    free(key);
    return false;
  }
  value->key = key;
  **end = value;
  *end = &value->next;
  return true;
}

static bool read_entries(struct reader *reader, struct json *parent, char close)
{
  struct json **end = &parent->child;
  if (take(reader, close)) {
    return true;
  }
  do {
    if (!read_entry(reader, close == '}', &end)) {
      return false;
    }
  } while (take(reader, ','));
  return take(reader, close);
}

static bool read_word(struct reader *reader)
{
  size_t length = strspn(reader->at, "+-.0123456789abcdefghijklmnopqrstuvwxyzE");
  reader->at += length;
  return length > 0;
}

static bool read_into(struct reader *reader, struct json *value)
{
  skip_space(reader);
  switch (*reader->at) {
    case '{':
    case '[': {
      char close = *reader->at == '{' ? '}' : ']';
      value->type = close == '}' ? JSON_OBJECT : JSON_ARRAY;
      reader->at++;
      return read_entries(reader, value, close);
    }
    case '"':
      value->type = JSON_STRING;
      value->text = read_string(reader);
      return value->text != NULL;
    default:
      return read_word(reader);
  }
}

static struct json *read_value(struct reader *reader)
{
  struct json *value = calloc(1, sizeof *value);
  bool whole = ++reader->depth <= MAX_DEPTH && read_into(reader, value);
  reader->depth--;
  if (!whole) {
    json_free(value);
    return NULL;
  }
  return value;
}

struct json *json_parse(const char *text)
{
  struct reader reader = {.at = text};
  struct json *value = read_value(&reader);
  skip_space(&reader);
  if (value != NULL && *reader.at != '\0') {
    json_free(value);
    return NULL;
  }
  return value;
}

void json_free(struct json *value)
{
  while (value != NULL) {
    struct json *next = value->next;
    json_free(value->child);
    free(value->key);
    free(value->text);
    free(value);
    value = next;
  }
}

const struct json *json_member(const struct json *object, const char *key)
{
  if (object == NULL || object->type != JSON_OBJECT) {
    return NULL;
  }
  const struct json *found = object->child;
  while (found != NULL && strcmp(found->key, key) != 0) {
    found = found->next;
  }
  return found;
}

const char *json_string(const struct json *object, const char *key)
{
  const struct json *found = json_member(object, key);
  return found != NULL && found->type == JSON_STRING ? found->text : NULL;
}

const struct json *json_array(const struct json *object, const char *key)
{
  const struct json *found = json_member(object, key);
  return found != NULL && found->type == JSON_ARRAY ? found : NULL;
}

/*
 * The lifecycle hook in its fastest form: Claude Code runs it for a hook event, and it appends one line to the lifecycle
 * stream. Compiled on this machine when the hooks are installed; `lifecycle-logger.pl` and `lifecycle-logger.mjs` do the
 * same where there is no compiler. One suite tests all three.
 *
 * Contract: one write(2) per line, whatever its size; prints nothing; always exits with 0 (2 would block the user's tool
 * call); the line contains no environment variables except those named here.
 *
 * Values are copied verbatim from the input, so valid JSON stays valid.
 *
 * With a home of Signalbox as its argument it also handles permission requests: it sends the id of the line to the daemon
 * of that home, waits for an answer and prints it. If no daemon responds within 100 ms, it exits silently. The terminal's
 * dialog stays open meanwhile.
 */

#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define INPUT_LIMIT (64u << 20)
/* A longer value is left out and named in "omitted", so that no line exceeds the limit of its readers. */
#define VALUE_LIMIT (4u << 20)

/* A value, verbatim from the input; `at` is null if it is missing. */
typedef struct {
  const char *at;
  size_t length;
} Raw;

static void give_up(void) { _exit(0); }

/* ---- input ---- */

static char *read_input(size_t *length) {
  size_t room = 64 << 10, used = 0;
  char *text = malloc(room);
  for (;;) {
    if (text == NULL || used > INPUT_LIMIT) give_up();
    ssize_t got = read(0, text + used, room - used);
    if (got == 0) break;
    if (got < 0 && errno != EINTR) break;
    if (got > 0) used += (size_t)got;
    if (used == room) text = realloc(text, room *= 2);
  }
  *length = used;
  return text;
}

/* Length of the UTF-8 character at `text`; 0 if it is invalid. */
static size_t utf8_length(const unsigned char *text, size_t left) {
  unsigned char first = text[0];
  size_t length = first < 0x80 ? 1 : first >= 0xc2 && first < 0xe0 ? 2 : (first & 0xf0) == 0xe0 ? 3 : first >= 0xf0 && first < 0xf5 ? 4 : 0;
  if (length == 0 || length > left) return 0;
  for (size_t i = 1; i < length; i++)
    if ((text[i] & 0xc0) != 0x80) return 0;
  if (first == 0xe0 && text[1] < 0xa0) return 0;
  if (first == 0xed && text[1] > 0x9f) return 0;
  if (first == 0xf0 && text[1] < 0x90) return 0;
  if (first == 0xf4 && text[1] > 0x8f) return 0;
  return length;
}

/* Replaces control characters, so that one line stays one line: outside strings they are white space, inside invalid. */
static void clean(char *text, size_t length) {
  for (size_t i = 0; i < length;) {
    unsigned char byte = (unsigned char)text[i];
    size_t step = byte < 0x80 ? 1 : utf8_length((unsigned char *)text + i, length - i);
    if (byte < 0x20) text[i] = ' ';
    if (step == 0) text[i] = '?', step = 1;
    i += step;
  }
}

/* ---- JSON ---- */

static const char *skip_space(const char *at, const char *end) {
  while (at < end && *at == ' ') at++;
  return at;
}

static int is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

/* The end of the string that starts at `at`; null if it is unterminated, or has an escape that JSON does not know. */
static const char *skip_string(const char *at, const char *end) {
  for (at++; at < end; at++) {
    if (*at == '"') return at + 1;
    if (*at != '\\') continue;
    if (++at >= end) return NULL;
    if (*at == 'u') {
      if (end - at < 5 || !is_hex(at[1]) || !is_hex(at[2]) || !is_hex(at[3]) || !is_hex(at[4])) return NULL;
      at += 4;
    } else if (strchr("\"\\/bfnrt", *at) == NULL || *at == 0) {
      return NULL;
    }
  }
  return NULL;
}

/* The end of the value that starts at `at`; null if it is incomplete. */
static const char *skip_value(const char *at, const char *end) {
  size_t depth = 0;
  while (at < end) {
    if (*at == '"') {
      if ((at = skip_string(at, end)) == NULL) return NULL;
    } else if (*at == '{' || *at == '[') {
      depth++, at++;
      continue;
    } else if (*at == '}' || *at == ']') {
      if (depth == 0) return NULL;
      depth--, at++;
    } else if (depth > 0) {
      at++;
      continue;
    } else {
      const char *start = at;
      while (at < end && *at != ',' && *at != '}' && *at != ']' && *at != ' ' && *at != '"') at++;
      if (at == start) return NULL;
    }
    if (depth == 0) return at;
  }
  return NULL;
}

/* Finds values of an object by name; of duplicates the last one wins. 0 if it is not a complete object. */
static int read_members(Raw object, const char *const names[], Raw values[], size_t count) {
  const char *at = object.at, *end = object.at + object.length;
  for (size_t i = 0; i < count; i++) values[i].at = NULL, values[i].length = 0;
  at = skip_space(at, end);
  if (at >= end || *at++ != '{') return 0;
  at = skip_space(at, end);
  if (at < end && *at == '}') return 1;
  for (;;) {
    at = skip_space(at, end);
    if (at >= end || *at != '"') return 0;
    const char *name = at + 1;
    if ((at = skip_string(at, end)) == NULL) return 0;
    size_t length = (size_t)(at - 1 - name);
    at = skip_space(at, end);
    if (at >= end || *at++ != ':') return 0;
    at = skip_space(at, end);
    const char *value = at;
    if ((at = skip_value(at, end)) == NULL) return 0;
    for (size_t i = 0; i < count; i++) {
      if (strlen(names[i]) != length || memcmp(names[i], name, length) != 0) continue;
      values[i].at = value;
      values[i].length = (size_t)(at - value);
    }
    at = skip_space(at, end);
    if (at >= end) return 0;
    if (*at == '}') return 1;
    if (*at++ != ',') return 0;
  }
}

enum {
  SESSION_ID, HOOK_EVENT, CWD, TRANSCRIPT, PROMPT_ID, AGENT_ID, AGENT_TYPE, MODE, SOURCE, MODEL, TITLE, REASON, PROMPT,
  COMMAND_NAME, COMMAND_ARGS, TOOL_NAME, TOOL_INPUT, TOOL_USE_ID, TOOL_RESPONSE, SUGGESTIONS, DURATION, ERROR_TEXT,
  IS_INTERRUPT, NOTIFICATION, MESSAGE, LAST_MESSAGE, TASKS, STOP_HOOK_ACTIVE, AGENT_TRANSCRIPT, TRIGGER, FIELDS
};
static const char *const NAMES[FIELDS] = {
  "session_id", "hook_event_name", "cwd", "transcript_path", "prompt_id", "agent_id", "agent_type", "permission_mode",
  "source", "model", "session_title", "reason", "prompt", "command_name", "command_args", "tool_name", "tool_input",
  "tool_use_id", "tool_response", "permission_suggestions", "duration_ms", "error", "is_interrupt", "notification_type",
  "message", "last_assistant_message", "background_tasks", "stop_hook_active", "agent_transcript_path", "trigger"
};
static Raw field[FIELDS];

static int is_string(Raw value) { return value.at != NULL && value.at[0] == '"'; }

static int is(Raw value, const char *text) {
  size_t length = strlen(text);
  return is_string(value) && value.length == length + 2 && memcmp(value.at + 1, text, length) == 0;
}

/* The text between the quotes. */
static Raw inside(Raw string) {
  Raw none = {NULL, 0};
  if (!is_string(string)) return none;
  Raw text = {string.at + 1, string.length - 2};
  return text;
}

/* ---- output ---- */

static char *line;
static size_t line_length, line_room;
static char omitted[256];
static char line_id[48];

static void put(const char *text, size_t length) {
  if (line_length + length > line_room) {
    line_room = (line_length + length) * 2 + 4096;
    if ((line = realloc(line, line_room)) == NULL) give_up();
  }
  memcpy(line + line_length, text, length);
  line_length += length;
}

static void say(const char *text) { put(text, strlen(text)); }

static void name_member(const char *name) {
  say(",\"");
  say(name);
  say("\":");
}

static void omit(const char *name) {
  size_t used = strlen(omitted), length = strlen(name);
  if (used + length + 4 > sizeof omitted) return;
  snprintf(omitted + used, sizeof omitted - used, "%s\"%s\"", used > 0 ? "," : "", name);
}

/* An optional member: written if the input has it. */
static void copy(const char *name, Raw value) {
  if (value.at == NULL) return;
  if (value.length > VALUE_LIMIT) {
    omit(name);
    return;
  }
  name_member(name);
  put(value.at, value.length);
}

/* A member that is always written: a string or null. */
static void copy_text(const char *name, Raw value) {
  name_member(name);
  if (is_string(value) && value.length <= VALUE_LIMIT) put(value.at, value.length);
  else say("null");
}

static void say_text(const char *name, const char *text) {
  name_member(name);
  if (text == NULL) {
    say("null");
    return;
  }
  say("\"");
  size_t length = strlen(text);
  for (size_t i = 0; i < length;) {
    size_t step = utf8_length((const unsigned char *)text + i, length - i);
    char escape[8];
    if (step == 0) say("?"), step = 1;
    else if (text[i] == '"' || text[i] == '\\') say("\\"), put(text + i, 1);
    else if ((unsigned char)text[i] < 0x20) snprintf(escape, sizeof escape, "\\u%04x", text[i]), say(escape);
    else put(text + i, step);
    i += step;
  }
  say("\"");
}

static void say_stamp(const char *event_type, const char *phase) {
  struct timespec now;
  struct tm utc;
  unsigned char random[8] = {0};
  char stamp[160], time_text[32];
  clock_gettime(CLOCK_REALTIME, &now);
  gmtime_r(&now.tv_sec, &utc);
  strftime(time_text, sizeof time_text, "%Y-%m-%dT%H:%M:%S", &utc);
  int source = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  if (source < 0 || read(source, random, sizeof random) != sizeof random) {
    uint64_t mixed = (uint64_t)now.tv_nsec * 2654435761u ^ (uint64_t)getpid() << 32;
    memcpy(random, &mixed, sizeof random);
  }
  if (source >= 0) close(source);
  /* UUIDv7 with 12 bits of sub-millisecond time, so that ids sort in the order of the lines. */
  uint64_t ms = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
  unsigned fraction = (unsigned)((uint64_t)(now.tv_nsec % 1000000) * 4096 / 1000000);
  snprintf(line_id, sizeof line_id, "%08x-%04x-7%03x-%02x%02x-%02x%02x%02x%02x%02x%02x", (unsigned)(ms >> 16),
           (unsigned)(ms & 0xffff), fraction, (random[0] & 0x3fu) | 0x80u, random[1], random[2], random[3], random[4],
           random[5], random[6], random[7]);
  snprintf(stamp, sizeof stamp, "{\"id\":\"%s\",\"eventType\":\"%s\"", line_id, event_type);
  say(stamp);
  if (phase != NULL) say_text("phase", phase);
  snprintf(stamp, sizeof stamp, ",\"occurredAtIso\":\"%s.%03dZ\"", time_text, (int)(now.tv_nsec / 1000000));
  say(stamp);
}

static void begin(const char *event_type, const char *phase) {
  say_stamp(event_type, phase);
  copy_text("sessionId", field[SESSION_ID]);
  say(",\"provider\":\"claude\"");
  say_text("projectPath", getenv("CLAUDE_PROJECT_DIR"));
  copy_text("cwd", field[CWD]);
}

static void end(void) {
  const char *pid = getenv("CLAUDE_PID");
  copy("hookEvent", field[HOOK_EVENT]);
  if (pid != NULL && *pid >= '1' && *pid <= '9' && strlen(pid) < 12 && strspn(pid, "0123456789") == strlen(pid)) {
    name_member("pid");
    say(pid);
    /* PID namespace: containers have their own. */
    char space[64];
    ssize_t length = readlink("/proc/self/ns/pid", space, sizeof space - 1);
    if (length > 0) space[length] = 0, say_text("pidSpace", space);
  }
  if (getenv("CLAUDE_CODE_ENTRYPOINT") != NULL) say_text("entrypoint", getenv("CLAUDE_CODE_ENTRYPOINT"));
  copy("transcriptPath", field[TRANSCRIPT]);
  copy("promptId", field[PROMPT_ID]);
  copy("agentId", field[AGENT_ID]);
  copy("agentType", field[AGENT_TYPE]);
  copy("permissionMode", field[MODE]);
  if (omitted[0] != 0) {
    name_member("omitted");
    say("[");
    say(omitted);
    say("]");
  }
  say("}\n");
}

/* ---- skills ---- */

static int ends_like_a_document(const char *word, size_t length) {
  static const char *const endings[] = {".md", ".mdx", ".txt", ".rst", ".adoc"};
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    size_t size = strlen(endings[i]);
    if (length > size && memcmp(word + length - size, endings[i], size) == 0) return 1;
  }
  const char *name = NULL, *dot = NULL;
  for (size_t i = 0; i < length; i++) {
    if (word[i] == '/') name = word + i + 1, dot = NULL;
    if (word[i] == '.') dot = word + i;
  }
  if (name == NULL || dot == NULL || dot <= name || dot + 1 >= word + length) return 0;
  for (const char *c = dot + 1; c < word + length; c++) {
    int is_letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z');
    int is_digit = *c >= '0' && *c <= '9';
    if (!is_letter && (!is_digit || c == dot + 1)) return 0;
  }
  return 1;
}

/* The first word of the arguments that is clearly a file. */
static Raw target_document(Raw arguments) {
  Raw none = {NULL, 0};
  const char *at = arguments.at, *end = arguments.at + arguments.length;
  if (at == NULL) return none;
  while (at < end) {
    const char *word = at;
    while (at < end && *at != ' ' && !(*at == '\\' && at + 1 < end && strchr("nrt", at[1]) != NULL)) at += *at == '\\' ? 2 : 1;
    if (at > end) at = end;
    const char *start = word < at && *word == '@' ? word + 1 : word;
    size_t length = (size_t)(at - start);
    int is_plain = length > 0 && *start != '-' && memchr(start, '\\', length) == NULL && length < 4096;
    for (size_t i = 0; is_plain && i + 2 < length; i++)
      if (memcmp(start + i, "://", 3) == 0) is_plain = 0;
    if (is_plain && ends_like_a_document(start, length)) {
      Raw found = {start, length};
      return found;
    }
    if (at < end) at += *at == ' ' ? 1 : 2;
  }
  return none;
}

static void say_skill(Raw name, Raw arguments, const char *started_by) {
  if (name.length > 0 && name.at[0] == '/') name.at++, name.length--;
  if (arguments.length > VALUE_LIMIT) omit("triggerCommand"), arguments.at = NULL, arguments.length = 0;
  name_member("skillName");
  say("\""), put(name.at, name.length), say("\"");
  name_member("triggerCommand");
  say("\"/"), put(name.at, name.length);
  if (arguments.length > 0) say(" "), put(arguments.at, arguments.length);
  say("\"");
  say(",\"turnSeq\":null");
  Raw target = target_document(arguments);
  name_member("targetDocPath");
  if (target.at == NULL) say("null");
  else say("\""), put(target.at, target.length), say("\"");
  say_text("startedBy", started_by);
  copy("toolUseId", field[TOOL_USE_ID]);
}

static void say_called_skill(const char *phase, const char *outcome) {
  static const char *const names[] = {"skill", "args"};
  Raw input[2];
  if (field[TOOL_INPUT].at == NULL || !read_members(field[TOOL_INPUT], names, input, 2)) give_up();
  Raw name = inside(input[0]);
  if (name.length == 0) give_up();
  begin("skill.lifecycle", phase);
  say_skill(name, inside(input[1]), "model");
  if (outcome != NULL) say_text("outcome", outcome);
  copy("durationMs", field[DURATION]);
  copy("error", field[ERROR_TEXT]);
  copy("isInterrupt", field[IS_INTERRUPT]);
}

static void say_answered(void) {
  begin("request.lifecycle", "answered");
  copy("toolName", field[TOOL_NAME]);
  copy("toolInput", field[TOOL_INPUT]);
  copy("toolUseId", field[TOOL_USE_ID]);
  copy("toolResponse", field[TOOL_RESPONSE]);
  copy("error", field[ERROR_TEXT]);
}

static void say_waiting(void) {
  int is_question = is(field[TOOL_NAME], "AskUserQuestion") || is(field[NOTIFICATION], "elicitation_dialog");
  begin("session.lifecycle", is_question ? "waiting_question" : "waiting_permission");
  copy("toolName", field[TOOL_NAME]);
  copy("toolInput", field[TOOL_INPUT]);
  copy("suggestions", field[SUGGESTIONS]);
  copy("notificationType", field[NOTIFICATION]);
  copy("message", field[MESSAGE]);
}

/* Maps a hook event to the fields of its line. Events without a line leave the stream unchanged. */
static void say_event(void) {
  Raw event = field[HOOK_EVENT];
  const char *entrypoint = getenv("CLAUDE_CODE_ENTRYPOINT");
  if (is(event, "SessionStart") && is(field[SOURCE], "compact")) {
    begin("context.lifecycle", "compacted");
  } else if (is(event, "SessionStart")) {
    begin("session.lifecycle", "started");
    copy("source", field[SOURCE]);
    copy("model", field[MODEL]);
    copy("title", field[TITLE]);
  } else if (is(event, "SessionEnd")) {
    begin("session.lifecycle", "ended");
    copy("reason", field[REASON]);
  } else if (is(event, "UserPromptSubmit")) {
    begin("turn.start", NULL);
    copy_text("prompt", field[PROMPT]);
    if (field[PROMPT].length > VALUE_LIMIT) omit("prompt");
  } else if (is(event, "Stop") || is(event, "StopFailure")) {
    begin("turn.end", NULL);
    say_text("outcome", is(event, "Stop") ? "completed" : "failed");
    copy("error", field[ERROR_TEXT]);
    copy("lastAssistantMessage", field[LAST_MESSAGE]);
    copy("backgroundTasks", field[TASKS]);
    copy("stopHookActive", field[STOP_HOOK_ACTIVE]);
  } else if (is(event, "UserPromptExpansion")) {
    Raw name = inside(field[COMMAND_NAME]);
    if (name.length == 0) give_up();
    begin("skill.lifecycle", "in_progress");
    say_skill(name, inside(field[COMMAND_ARGS]), "person");
  } else if (is(event, "PreToolUse") && is(field[TOOL_NAME], "Skill")) {
    say_called_skill("in_progress", NULL);
  } else if (is(event, "PostToolUse") && is(field[TOOL_NAME], "Skill")) {
    say_called_skill("completed", "completed");
  } else if (is(event, "PostToolUseFailure") && is(field[TOOL_NAME], "Skill")) {
    say_called_skill("completed", "failed");
  } else if (is(event, "PostToolUse") || is(event, "PostToolUseFailure")) {
    if (!is(field[TOOL_NAME], "AskUserQuestion") && !is(field[TOOL_NAME], "ExitPlanMode")) give_up();
    say_answered();
  } else if (is(event, "PermissionRequest")) {
    /* Without a terminal there is no dialog: the CLI decides automatically, and nothing waits. */
    if (entrypoint != NULL && strcmp(entrypoint, "sdk-cli") == 0) give_up();
    say_waiting();
  } else if (is(event, "Notification")) {
    if (!is(field[NOTIFICATION], "agent_needs_input") && !is(field[NOTIFICATION], "elicitation_dialog")) give_up();
    say_waiting();
  } else if (is(event, "SubagentStart") || is(event, "SubagentStop")) {
    /* The CLI's internal helpers (such as compaction) have no type and no SubagentStart. */
    if (!is_string(field[AGENT_TYPE]) || is(field[AGENT_TYPE], "")) give_up();
    begin("agent.lifecycle", is(event, "SubagentStart") ? "started" : "ended");
    copy("agentTranscriptPath", field[AGENT_TRANSCRIPT]);
  } else if (is(event, "PreCompact")) {
    begin("context.lifecycle", "compacting");
    copy("trigger", field[TRIGGER]);
  } else {
    give_up();
  }
  end();
}

/* ---- the stream ---- */

static char *stream_path(void) {
  static const char *const standard = "/.kw-chat/streams/lifecycle.jsonl";
  const char *chosen = getenv("KW_CHAT_STREAM_PATH"), *home = getenv("HOME");
  int is_chosen = chosen != NULL && *chosen != 0, is_below_home = !is_chosen || strncmp(chosen, "~/", 2) == 0;
  if (is_below_home && (home == NULL || *home == 0)) give_up();
  const char *rest = !is_chosen ? standard : is_below_home ? chosen + 1 : chosen;
  size_t room = strlen(is_below_home ? home : "") + strlen(rest) + 1;
  char *path = malloc(room);
  if (path == NULL) give_up();
  snprintf(path, room, "%s%s", is_below_home ? home : "", rest);
  return path;
}

static void make_folders(char *path) {
  for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    mkdir(path, 0700);
    *slash = '/';
  }
}

static int open_stream(char *path) {
  /* Non-blocking: a pipe without a reader must not block the user's session. */
  int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  int file = open(path, flags, 0600);
  if (file >= 0 || errno != ENOENT) return file;
  make_folders(path);
  return open(path, flags, 0600);
}

/* Race: writes again only if the file was rotated meanwhile. Readers deduplicate lines by id. */
static void append(char *path) {
  for (int attempt = 0; attempt < 3; attempt++) {
    struct stat written, there;
    int file = open_stream(path);
    if (file < 0 || fstat(file, &written) != 0 || !S_ISREG(written.st_mode)) return;
    ssize_t done;
    do done = write(file, line, line_length);
    while (done < 0 && errno == EINTR);
    /* A full disk truncates the line. End it, so that the next line is not glued to it. */
    if (done > 0 && (size_t)done < line_length && write(file, "\n", 1) < 0) return;
    close(file);
    if (stat(path, &there) == 0 && there.st_ino == written.st_ino && there.st_dev == written.st_dev) return;
  }
}

/* ---- remote answers ---- */

#define ANSWER_LIMIT (8u << 20)
/* Timeout for the first response of the daemon, unless a slow machine sets another. */
#define SOON_MS 100
#define LONGEST_SOON_MS 10000
/* The daemon sends a keep-alive every five seconds. */
#define SILENCE_MS 20000

static long now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000L + now.tv_nsec / 1000000;
}

static long soon_ms(void) {
  const char *text = getenv("SIGNALBOX_HOLD_WITHIN_MS");
  long wanted = text == NULL ? 0 : atol(text);
  return wanted > 0 && wanted <= LONGEST_SOON_MS ? wanted : SOON_MS;
}

/* Reads a small file of the home, without its line end. */
static void read_home_file(const char *home, const char *name, char *text, size_t room) {
  char path[4096];
  text[0] = 0;
  if ((size_t)snprintf(path, sizeof path, "%s/%s", home, name) >= sizeof path) give_up();
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  ssize_t got = file < 0 ? -1 : read(file, text, room - 1);
  if (got <= 0) give_up();
  close(file);
  text[got] = 0;
  text[strcspn(text, "\r\n")] = 0;
}

/* Waits until a descriptor is ready; 0 on timeout. */
static int is_ready(int file, short events, long until) {
  for (;;) {
    long left = until - now_ms();
    struct pollfd waited = {file, events, 0};
    if (left < 0) return 0;
    int found = poll(&waited, 1, (int)left);
    if (found >= 0 || errno != EINTR) return found > 0;
  }
}

static int connect_to(int is_six, int port, long until) {
  struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port), .sin6_addr = IN6ADDR_LOOPBACK_INIT};
  four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int file = socket(is_six ? AF_INET6 : AF_INET, SOCK_STREAM, 0), failure = 0;
  socklen_t size = sizeof failure;
  if (file < 0) return -1;
  fcntl(file, F_SETFD, FD_CLOEXEC);
  fcntl(file, F_SETFL, O_NONBLOCK);
  int done = is_six ? connect(file, (struct sockaddr *)&six, sizeof six) : connect(file, (struct sockaddr *)&four, sizeof four);
  if (done == 0) return file;
  if (errno == EINPROGRESS && is_ready(file, POLLOUT, until) &&
      getsockopt(file, SOL_SOCKET, SO_ERROR, &failure, &size) == 0 && failure == 0) return file;
  close(file);
  return -1;
}

/* Connects to loopback only, whatever the file says. */
static int connect_daemon(const char *address, long until) {
  const char *colon = strrchr(address, ':');
  int port = colon == NULL ? 0 : atoi(colon + 1), file = -1;
  if (port <= 0 || port > 65535) give_up();
  if (address[0] != '[') file = connect_to(0, port, until);
  if (file < 0 && address[0] != '1') file = connect_to(1, port, until);
  if (file < 0) give_up();
  return file;
}

static void send_hold(int file, const char *address, const char *token, long until) {
  char request[1024], body[80];
  int size = snprintf(body, sizeof body, "{\"lineId\":\"%s\"}", line_id);
  int length = snprintf(request, sizeof request,
                        "POST /api/v1/lifecycle/hold HTTP/1.0\r\nHost: %s\r\nAuthorization: Bearer %s\r\n"
                        "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
                        address, token, size, body);
  if (length < 0 || (size_t)length >= sizeof request) give_up();
  if (!is_ready(file, POLLOUT, until) || write(file, request, (size_t)length) != length) give_up();
}

/* Orphan: a hook outlives its session, and must not keep waiting when the CLI process is gone. */
static int is_orphan(void) {
  const char *pid = getenv("CLAUDE_PID");
  return pid != NULL && atol(pid) > 1 && kill((pid_t)atol(pid), 0) != 0 && errno == ESRCH;
}

/* Reads until the daemon closes the connection. Gives up if the daemon falls silent, or if the hook is an orphan. */
static char *read_answer(int file, long until, size_t *length) {
  size_t room = 4096, used = 0;
  char *text = malloc(room);
  for (;;) {
    if (text == NULL || used > ANSWER_LIMIT) give_up();
    /* Short timeout for the first response; afterwards checks every second whether the hook is an orphan. */
    long step = used == 0 ? until : now_ms() + 1000;
    if (!is_ready(file, POLLIN, step < until ? step : until)) {
      if (now_ms() >= until || is_orphan()) give_up();
      continue;
    }
    ssize_t got = read(file, text + used, room - used - 1);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) give_up();
    if (got == 0) break;
    used += (size_t)got;
    until = now_ms() + SILENCE_MS;
    if (used + 1 == room && (text = realloc(text, room *= 2)) == NULL) give_up();
  }
  text[used] = 0;
  *length = used;
  return text;
}

static void hold(const char *home) {
  char json[512], token[512];
  size_t length = 0;
  long until = now_ms() + soon_ms();
  read_home_file(home, "daemon.json", json, sizeof json);
  read_home_file(home, "token", token, sizeof token);
  static const char start[] = "\"url\":\"http://";
  char *address = strstr(json, start);
  if (address == NULL) give_up();
  address += sizeof start - 1;
  address[strcspn(address, "\"/")] = 0;
  signal(SIGPIPE, SIG_IGN);
  int file = connect_daemon(address, until);
  send_hold(file, address, token, until);
  char *text = read_answer(file, until, &length);
  char *answer = strstr(text, "\r\n\r\n");
  if (strncmp(text, "HTTP/1.", 7) != 0 || strncmp(text + 8, " 200", 4) != 0 || answer == NULL) give_up();
  answer += 4;
  answer += strspn(answer, " ");
  /* A complete answer ends with a line end; a truncated one does not. */
  if (*answer != '{' || length < 2 || text[length - 1] != '\n') give_up();
  for (size_t left = strlen(answer); left > 0;) {
    ssize_t done = write(1, answer, left);
    if (done <= 0) break;
    answer += done, left -= (size_t)done;
  }
}

int main(int count, char **arguments) {
  const char *mark = getenv("SIGNALBOX_CHILD");
  if (mark != NULL && *mark != 0) give_up(); /* A managed session: Signalbox already records it. */
  Raw input;
  char *text = read_input(&input.length);
  clean(text, input.length);
  input.at = text;
  if (!read_members(input, NAMES, field, FIELDS) || !is_string(field[SESSION_ID]) || field[SESSION_ID].length == 2) give_up();
  say_event();
  append(stream_path());
  if (count > 1 && is(field[HOOK_EVENT], "PermissionRequest")) hold(arguments[1]);
  give_up();
}

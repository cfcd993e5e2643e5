/* Bluff, a game of hidden dice in C: cc -shared -fPIC -I ../../src/guest -o bluff.so bluff.c
 *
 * Each player rolls a die in secret. In turn they raise the stake, fold, or call: the higher die wins the stake. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ludovec_game.h"

enum { FOLD, CALL, RAISE };
enum { RUNNING, CALLED, FOLDED };

typedef struct {
    uint8_t dice[2]; /* 1 to 6 */
    uint8_t stake;
    uint8_t player; /* the next one, or the one who folded or called */
    uint8_t end;
} state;

/* The rules under the options. */
typedef struct {
    int most;
} rules;

static int32_t init(void *at, ludovec_chance *chance, const void *game) {
    state *s = at;
    (void)game;
    for (int player = 0; player < 2; player++) s->dice[player] = 1 + chance->uniform(chance, 6);
    s->stake = 1;
    return LUDOVEC_OK;
}

static int32_t current_player(const void *at, const void *game) {
    const state *s = at;
    (void)game;
    return s->end == RUNNING ? s->player : -1;
}

static int32_t legal(const void *at, uint64_t *mask, const void *game) {
    const state *s = at;
    mask[0] = 1 << FOLD | 1 << CALL;
    if (s->stake < ((const rules *)game)->most) mask[0] |= 1 << RAISE;
    return LUDOVEC_OK;
}

static int32_t step(void *at, int32_t action, ludovec_chance *chance, const void *game) {
    state *s = at;
    (void)chance, (void)game;
    if (action == RAISE) {
        s->stake++;
        s->player ^= 1;
    } else {
        s->end = action == CALL ? CALLED : FOLDED;
    }
    return LUDOVEC_OK;
}

static int32_t observe(const void *at, int32_t player, uint8_t *observation, const void *game) {
    const state *s = at;
    (void)game;
    observation[0] = s->dice[player];
    observation[1] = s->stake;
    observation[2] = s->player == player;
    return LUDOVEC_OK;
}

static int32_t returns(const void *at, float *returns, const void *game) {
    const state *s = at;
    int first = s->end == FOLDED ? (s->player ? 1 : -1) : (s->dice[0] > s->dice[1]) - (s->dice[0] < s->dice[1]);
    (void)game;
    returns[0] = (float)(first * s->stake);
    returns[1] = -returns[0];
    return LUDOVEC_OK;
}

static int32_t determinize(void *at, int32_t player, ludovec_chance *chance, const void *game) {
    state *s = at;
    (void)game;
    s->dice[1 - player] = 1 + chance->uniform(chance, 6);
    return LUDOVEC_OK;
}

static int32_t validate(const void *at, const void *game) {
    const state *s = at;
    int most = ((const rules *)game)->most, fits = s->stake >= 1 && s->stake <= most && s->end <= FOLDED;
    for (int player = 0; player < 2; player++) fits = fits && s->dice[player] >= 1 && s->dice[player] <= 6;
    /* The players raise in turn. */
    return fits && s->player == (s->stake - 1) % 2 ? LUDOVEC_OK : LUDOVEC_INVALID_STATE;
}

/* What everybody knows, as a text; ludovec answers the other requests itself. */
static int32_t words(const void *const *states, uint32_t count, ludovec_chance *chance, const char *request,
                     const ludovec_sink *answer, const void *game) {
    char text[64];
    (void)count, (void)chance, (void)game;
    if (!strstr(request, "\"ask\":\"to_text\"")) return LUDOVEC_DEFAULT;
    int length = snprintf(text, sizeof text, "\"The stake is %d.\"", ((const state *)states[0])->stake);
    answer->write(answer->context, text, (size_t)length);
    return LUDOVEC_OK;
}

static const ludovec_rules functions = {
    .init = init, .current_player = current_player, .legal = legal, .step = step, .observe = observe,
    .returns = returns, .determinize = determinize, .validate = validate, .words = words, .destroy = free,
};

static int32_t create(const ludovec_game *entry, const char *options, const ludovec_sink *description,
                      const ludovec_rules **of, void **game) {
    static const char format[] =
        "{\"players\": 2, \"actions\": [{\"name\": \"fold\", \"count\": 1}, {\"name\": \"call\", \"count\": 1},"
        " {\"name\": \"raise\", \"count\": 1}], \"observation\": [{\"name\": \"die\", \"shape\": [1], \"high\": 6},"
        " {\"name\": \"stake\", \"shape\": [1], \"high\": %d}, {\"name\": \"turn\", \"shape\": [1], \"high\": 1}],"
        " \"score\": \"the stake\", \"score_change\": [-%d, %d], \"max_episode_steps\": %d,"
        " \"hidden_information\": true, \"state_bytes\": %d, \"state\": ["
        "{\"name\": \"dice\", \"offset\": 0, \"dtype\": \"uint8\", \"shape\": [2]},"
        " {\"name\": \"stake\", \"offset\": 2, \"dtype\": \"uint8\"}, {\"name\": \"player\", \"offset\": 3, \"dtype\":"
        " \"uint8\"}, {\"name\": \"end\", \"offset\": 4, \"dtype\": \"uint8\"}]}";
    const char *given = strstr(options, "\"stakes\":");
    rules *r = malloc(sizeof *r);
    char text[1024];
    (void)entry;
    if (!r) return LUDOVEC_RULES;
    r->most = given ? atoi(given + strlen("\"stakes\":")) : 5;
    int length = snprintf(text, sizeof text, format, r->most, r->most, r->most, r->most, (int)sizeof(state));
    description->write(description->context, text, (size_t)length);
    *of = &functions;
    *game = r;
    return LUDOVEC_OK;
}

uint32_t ludovec_abi(void) { return LUDOVEC_ABI; }

const ludovec_game *ludovec_games(uint32_t *count) {
    static const ludovec_game game = {
        .id = "bluff", .name = "Bluff", .summary = "the higher of two hidden dice wins the stake",
        .options = "[{\"name\": \"stakes\", \"type\": \"int\", \"min\": 2, \"max\": 9, \"default\": 5,"
                   " \"help\": \"the highest stake\"}]",
        .create = create,
    };
    *count = 1;
    return &game;
}

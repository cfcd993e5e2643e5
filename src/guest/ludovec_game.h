/* Games for ludovec as a library of C functions. Generated from src/guest/abi.rs. */
#ifndef LUDOVEC_GAME_H
#define LUDOVEC_GAME_H

#include <stddef.h>
#include <stdint.h>

#ifdef _WIN32
#define LUDOVEC_EXPORT __declspec(dllexport)
#else
#define LUDOVEC_EXPORT __attribute__((visibility("default")))
#endif

/* The number of this interface. */
#define LUDOVEC_ABI 1

/* The results of functions: 0, or the number of a failure. Any other number is a fault of the rules. */
enum {
    LUDOVEC_OK = 0,
    LUDOVEC_DEFAULT = 1,
    LUDOVEC_ILLEGAL = 2,
    LUDOVEC_WRONG_PHASE = 3,
    LUDOVEC_GAME_OVER = 4,
    LUDOVEC_INVALID_STATE = 5,
    LUDOVEC_INVALID_CONFIG = 6,
    LUDOVEC_RULES = 7
};

typedef struct ludovec_sink ludovec_sink;
typedef struct ludovec_chance ludovec_chance;
typedef struct ludovec_bytes ludovec_bytes;
typedef struct ludovec_rules ludovec_rules;
typedef struct ludovec_game ludovec_game;

/* Takes a text: an answer, or the message of an error. */
struct ludovec_sink {
    /* The first argument of write. */
    void *context;
    /* Appends length bytes of UTF-8. */
    void (*write)(void *context, const char *text, size_t length);
};

/* A source of chance, valid during the call that gets it. Every draw comes from here. */
struct ludovec_chance {
    /* One of 0 to n - 1, all equally likely, for n of at least 1. */
    uint32_t (*uniform)(ludovec_chance *chance, uint32_t n);
    /* An index into n weights, with a probability proportional to its weight; their sum is 1 to 2^32 - 1. */
    uint32_t (*weighted)(ludovec_chance *chance, const uint32_t *weights, uint32_t n);
};

/* The content of a file. */
struct ludovec_bytes {
    /* Its bytes. */
    const uint8_t *bytes;
    /* Their number. */
    size_t length;
};

/* The rules of a game under some options. They may be called from many threads at the same time. A state is the
 * state_bytes bytes of the description, aligned to 16, without pointers, all 0 before init. game is what
 * create made. Functions return 0, or the number of a failure. Those from observe_packed on may be NULL. */
struct ludovec_rules {
    /* Sets up a new game. */
    int32_t (*init)(void *state, ludovec_chance *chance, const void *game);
    /* The current player, -1 if the game is over, -2 if it has stopped without a result, -3 on a failure. */
    int32_t (*current_player)(const void *state, const void *game);
    /* Sets the bits of the legal actions, which are 0 before: bit a % 64 of word a / 64 for action a. */
    int32_t (*legal)(const void *state, uint64_t *mask, const void *game);
    /* Plays a legal action. */
    int32_t (*step)(void *state, int32_t action, ludovec_chance *chance, const void *game);
    /* Writes the observation of a player; all elements are 0 before. */
    int32_t (*observe)(const void *state, int32_t player, uint8_t *observation, const void *game);
    /* Writes the result of a finished game for each player: larger is better. */
    int32_t (*returns)(const void *state, float *returns, const void *game);
    /* Writes the observation of a player in packed form, as described by ludovec spec. */
    int32_t (*observe_packed)(const void *state, int32_t player, uint8_t *row, const void *game);
    /* Writes the score of each player. Without it, the scores of a finished game are its returns. */
    int32_t (*scores)(const void *state, float *scores, const void *game);
    /* Writes a guess at the result of each player. Without it, scores are the guess. */
    int32_t (*estimate)(const void *state, float *estimate, const void *game);
    /* Writes a guess beyond the next few turns. Without it, it is estimate. */
    int32_t (*outlook)(const void *state, float *estimate, const void *game);
    /* Redraws everything that a player does not know. */
    int32_t (*determinize)(void *state, int32_t player, ludovec_chance *chance, const void *game);
    /* Checks that play could go on from a state of arbitrary contents. */
    int32_t (*validate)(const void *state, const void *game);
    /* Answers a request in words, a JSON object with the key "ask", by JSON text. states has the position first; the
     * others are those before the steps of the request. Returns 1 if the default shall answer. */
    int32_t (*words)(
        const void *const *states,
        uint32_t count,
        ludovec_chance *chance,
        const char *request,
        const ludovec_sink *answer,
        const void *game);
    /* Writes the message of the last call of this thread that has failed. */
    void (*message)(const ludovec_sink *text);
    /* Frees the game. */
    void (*destroy)(void *game);
};

/* A game of a library. Texts are UTF-8; all of this lives until the program ends. */
struct ludovec_game {
    /* The environment id: lower-case letters, digits and _. */
    const char *id;
    /* Its name in CamelCase. */
    const char *name;
    /* One sentence. */
    const char *summary;
    /* A summary of the rules for beginners, or NULL. */
    const char *rules;
    /* The address of a page with the full rules, or NULL. */
    const char *rules_link;
    /* The options as a JSON array, as option_list of ludovec spec, or NULL. */
    const char *options;
    /* Files of networks, the strongest first, or NULL. */
    const ludovec_bytes *champions;
    /* Number of champions. */
    uint32_t champion_count;
    /* For the library's own use. */
    const void *context;
    /* Makes the rules under options, a JSON object with the values of all options. Writes the description as a
     * JSON object, or the message of a failure, to description. */
    int32_t (*create)(
        const ludovec_game *entry,
        const char *options,
        const ludovec_sink *description,
        const ludovec_rules **rules,
        void **game);
};

#ifdef __cplusplus
extern "C" {
#endif

/* A library exports these functions: the number LUDOVEC_ABI, and its games. */
LUDOVEC_EXPORT uint32_t ludovec_abi(void);
LUDOVEC_EXPORT const ludovec_game *ludovec_games(uint32_t *count);

#ifdef __cplusplus
}
#endif

#endif

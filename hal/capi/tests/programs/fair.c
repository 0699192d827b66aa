/* Calls for any of several satisfied words: each word is returned again and again. */
#include "nvshmem_host.h"

size_t nvshmem_int_test_any(int *words, size_t count, const int *status, int op, int value);
size_t nvshmem_int_wait_until_any(int *words, size_t count, const int *status, int op, int value);
size_t nvshmem_int_test_any_vector(int *words, size_t count, const int *status, int op, const int *values);
size_t nvshmem_int_wait_until_any_vector(int *words, size_t count, const int *status, int op, const int *values);

enum { N = 6, CALLS = 4 * N + 2 };

int main(void) {
    nvshmem_init();
    int *words = nvshmem_calloc(N, sizeof(int)), values[N] = {0};
    /* Word 1 is left out, and word 4 is not satisfied. */
    const int status[N] = {0, 7, 0, 0, 0, 0};
    words[4] = 1;
    for (int form = 0; form < 8; form++) {
        int found[N] = {0};
        const int *left_out = form & 4 ? status : NULL;
        for (int call = 0; call < CALLS; call++) {
            size_t at = form % 4 == 0   ? nvshmem_int_test_any(words, N, left_out, 0, 0)
                        : form % 4 == 1 ? nvshmem_int_wait_until_any(words, N, left_out, 0, 0)
                        : form % 4 == 2 ? nvshmem_int_test_any_vector(words, N, left_out, 0, values)
                                        : nvshmem_int_wait_until_any_vector(words, N, left_out, 0, values);
            CHECK(at < N);
            found[at]++;
        }
        for (int i = 0; i < N; i++) CHECK((found[i] > 0) == (i != 4 && (i != 1 || left_out == NULL)));
    }
    nvshmem_free(words);
    nvshmem_finalize();
    return 0;
}

/* Streams of host PEs. */
int oxshmem_stream_create(void **stream);
int oxshmem_stream_synchronize(void *stream);
int oxshmem_stream_destroy(void *stream);

static void finish(void *stream) { CHECK(oxshmem_stream_synchronize(stream) == 0); }
